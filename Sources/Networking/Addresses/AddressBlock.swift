import Text

/// The IP addresses that begin with the same bits, in CIDR notation: `10.0.0.0/8` (RFC 4632 §3.1), `fd00::/8` (RFC 4291 §2.3).
///
/// As with `IPAddress`, a block of IPv4 addresses mapped into IPv6 (`::ffff:10.0.0.0/104`) is the block of IPv4.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    /// Why a text is no block, to follow what it is said of.
    package enum Failure: Error, Equatable {
        case malformed
        /// Bits are set behind the prefix: an address of the block was written, not the block.
        case bitsBehindPrefix
    }

    /// The first address of the block.
    package let first: IPAddress
    /// How many bits are the same, at most 32 or 128.
    package let prefixLength: Int

    /// Reads an address and a prefix length, or an address alone, which is a block of its own.
    package init(_ text: String) throws(Failure) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { throw .malformed }
        let written = parts[0].contains(":") ? 128 : 32
        var length = written
        if parts.count == 2 {
            guard let number = Self.prefixLength(parts[1]), number <= written else { throw .malformed }
            length = number
        }
        if case .v4 = address, written == 128 {
            guard length >= 96 else { throw .bitsBehindPrefix }
            length -= 96
        }
        guard Self.masked(address, length) == address else { throw .bitsBehindPrefix }
        (first, prefixLength) = (address, length)
    }

    package func contains(_ address: IPAddress) -> Bool {
        switch (first, address) {
        case (.v4, .v4), (.v6, .v6): Self.masked(address, prefixLength) == first
        case (.v4, .v6), (.v6, .v4): false
        }
    }

    package var description: String { "\(first)/\(prefixLength)" }

    private static func prefixLength(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0") else { return nil }
        return Int(digits: text)
    }

    /// Smart shifts: one by the whole width or more leaves nothing.
    private static func masked(_ address: IPAddress, _ length: Int) -> IPAddress {
        switch address {
        case .v4(let value): .v4(value & ~(UInt32.max >> length))
        case .v6(let upper, let lower):
            .v6(upper & ~(UInt64.max >> length), lower & ~(UInt64.max >> max(0, length - 64)))
        }
    }
}
