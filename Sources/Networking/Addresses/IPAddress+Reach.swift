extension IPAddress {
    /// Whether it is an address of the public Internet: none of this machine, of a private network or of a special purpose (RFC 6890).
    package var isPublic: Bool {
        switch self {
        case .v4: !Self.specialBlocks.contains { $0.contains(self) }
        // Of IPv6 only global unicast is taken, without what carries an IPv4 address inside (6to4, Teredo, NAT64) and documentation.
        case .v6(let upper, _):
            upper >> 61 == 1 && upper >> 48 != 0x2002 && upper >> 32 != 0x2001_0000 && upper >> 32 != 0x2001_0DB8
        }
    }

    private static let specialBlocks: [AddressBlock] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
    ].compactMap { try? AddressBlock($0) }
}
