import CEpoll
import Glibc

/// Where a socket listens or connects to.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
    case ip(IPAddress, port: UInt16)
    /// A path of at most 107 bytes.
    case unix(path: String)

    /// Reads `127.0.0.1:8080`, `[::1]:8080` or `:8080` (every IPv4 address); no names.
    package init?(listening text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        var host = text[..<colon]
        if host.isEmpty || host == "*" { host = "0.0.0.0" }
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard let address = IPAddress(String(host)) else { return nil }
        self = .ip(address, port: port)
    }

    package var description: String {
        switch self {
        case .ip(let address, let port):
            if case .v6 = address { return "[\(address)]:\(port)" }
            return "\(address):\(port)"
        case .unix(let path):
            return "unix:\(path)"
        }
    }

    var family: Int32 {
        switch self {
        case .ip(.v4, _): AF_INET
        case .ip(.v6, _): AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// The address that the kernel filled in; nil for a family that is neither IPv4 nor IPv6.
    init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
            self = .ip(.v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = unsafe withUnsafeBytes(of: storage) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
            self = .ip(IPAddress(address.sin6_addr), port: UInt16(bigEndian: address.sin6_port))
        default:
            return nil
        }
    }

    /// Hands `body` the address as the system calls want it.
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var storage = sockaddr_storage()
        let length: Int
        switch self {
        case .ip(.v4(let value), let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = value.bigEndian
            length = Self.fill(&storage, with: address)
        case .ip(let six, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = six.bytes6
            length = Self.fill(&storage, with: address)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
                unsafe buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
            }
            length = Self.fill(&storage, with: address)
        }
        return unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }

    private static func fill<Address>(_ storage: inout sockaddr_storage, with address: Address) -> Int {
        unsafe withUnsafeMutableBytes(of: &storage) { target in
            unsafe withUnsafeBytes(of: address) { unsafe target.copyMemory(from: $0) }
        }
        return MemoryLayout<Address>.size
    }
}
