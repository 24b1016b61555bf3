import CEpoll
import Glibc

/// Looks names up with `getaddrinfo`. It blocks, so it belongs on a `BlockingPool`.
package enum Resolver {
    /// The addresses of `host`, in the system's order of preference; empty when the name is not known or cannot be looked up.
    package static func addresses(of host: String, port: UInt16) -> [SocketAddress] {
        if let address = IPAddress(host) { return [.ip(address, port: port)] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe address(entry.pointee, port: port) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    private static func address(_ entry: addrinfo, port: UInt16) -> SocketAddress? {
        guard let pointer = unsafe entry.ai_addr else { return nil }
        var storage = sockaddr_storage()
        let length = unsafe min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { buffer in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: length))
        }
        guard case .ip(let address, _)? = SocketAddress(storage) else { return nil }
        return .ip(address, port: port)
    }
}
