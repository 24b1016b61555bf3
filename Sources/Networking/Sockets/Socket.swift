import CEpoll
import Glibc

/// The system calls on non-blocking sockets. Whoever holds the descriptor closes it.
enum Socket {
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        case failed(SystemError)
    }

    static func make(family: Int32) throws(SystemError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .last("socket") }
        return descriptor
    }

    static func set(_ option: Int32, level: Int32 = SOL_SOCKET, on descriptor: Int32) {
        var one: Int32 = 1
        unsafe setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(.last("recv"))
            }
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(.last("send"))
            }
        }
    }

    /// Starts connecting; true when the connection stands at once.
    static func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) -> Bool {
        let result = unsafe address.withSockaddr { unsafe Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return true }
        guard errno == EINPROGRESS else { throw .last("connect") }
        return false
    }

    /// The error that a pending operation has left on the socket, 0 for none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    /// Where the socket is bound.
    static func localAddress(_ descriptor: Int32) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? SocketAddress(storage) : nil
    }

    /// Takes one waiting connection; nil when there is none or it went away.
    static func accept(_ descriptor: Int32) throws(SystemError) -> (descriptor: Int32, peer: SocketAddress)? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(descriptor, $0, &length, flags)
            }
        }
        if accepted >= 0 {
            return (accepted, SocketAddress(storage) ?? .unix(path: ""))
        }
        switch errno {
        case EAGAIN, EINTR, ECONNABORTED, EPROTO, EPERM: return nil
        default: throw .last("accept")
        }
    }
}
