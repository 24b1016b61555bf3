import CEpoll
import Glibc

/// An IPv4 or IPv6 address. An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`) is kept as IPv4.
package enum IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// In host byte order.
    case v4(UInt32)
    /// The upper and the lower half, in host byte order.
    case v6(UInt64, UInt64)

    /// Reads the numeric form of `inet_pton`; names and zones (`fe80::1%eth0`) are refused.
    package init?(_ text: String) {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self = .v4(UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self.init(six)
    }

    /// The same for text that lies in a buffer, without making a string of it.
    package init?(_ text: Span<UInt8>) {
        let longest = Int(INET6_ADDRSTRLEN) - 1
        guard (1...longest).contains(text.count) else { return nil }
        let read: IPAddress? = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: longest + 1) { buffer in
            for index in 0..<text.count {
                // The text would end there for the system, and here it does not.
                guard text[index] != 0 else { return nil }
                unsafe buffer[index] = CChar(bitPattern: text[index])
            }
            unsafe buffer[text.count] = 0
            guard let base = buffer.baseAddress else { return nil }
            var four = in_addr()
            if unsafe inet_pton(AF_INET, base, &four) == 1 { return .v4(UInt32(bigEndian: four.s_addr)) }
            var six = in6_addr()
            return unsafe inet_pton(AF_INET6, base, &six) == 1 ? IPAddress(six) : nil
        }
        guard let read else { return nil }
        self = read
    }

    init(_ address: in6_addr) {
        let (upper, lower) = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(upper: upper, lower: lower)
    }

    /// The IPv6 address of two halves in host byte order, or the IPv4 address that is mapped into it.
    package init(upper: UInt64, lower: UInt64) {
        if upper == 0, lower >> 32 == 0xFFFF {
            self = .v4(UInt32(truncatingIfNeeded: lower))
        } else {
            self = .v6(upper, lower)
        }
    }

    /// The address for `bind` and `connect`, in network byte order.
    var bytes6: in6_addr {
        var address = in6_addr()
        guard case .v6(let upper, let lower) = self else { return address }
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes.storeBytes(of: upper.bigEndian, as: UInt64.self)
            unsafe bytes.storeBytes(of: lower.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }

    package var description: String {
        switch self {
        case .v4(let value):
            return "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
        case .v6:
            var address = bytes6
            let capacity = Int(INET6_ADDRSTRLEN)
            return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
                guard let base = buffer.baseAddress,
                    let text = unsafe inet_ntop(AF_INET6, &address, base, socklen_t(capacity))
                else { return "::" }
                return unsafe String(cString: text)
            }
        }
    }
}

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
