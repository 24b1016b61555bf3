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

    init(_ address: in6_addr) {
        let (upper, lower) = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
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
