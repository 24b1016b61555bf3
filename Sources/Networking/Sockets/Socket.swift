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

    static func set(_ option: Int32, level: Int32 = SOL_SOCKET, to value: Int32 = 1, on descriptor: Int32) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The end of the socket throws away what the system still has to send, and tells the peer by a reset.
    static func resetAtClose(_ descriptor: Int32) {
        var abort = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
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

    /// Whether there are bytes to be read. They stay.
    static func hasInput(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// - Parameter isMoreToCome: whether the system may wait for what follows to fill a segment.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, isMoreToCome: Bool = false) -> Transfer {
        let flags = Int32(MSG_NOSIGNAL) | (isMoreToCome ? Int32(MSG_MORE) : 0)
        while true {
            let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
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
        guard !isPassing(errno) else { return nil }
        throw .last("accept")
    }

    /// Whether a failure to accept says nothing of this process: there was nobody, who waited has gone, a firewall forbade it, or the
    /// network had failed the connection before it was accepted (accept(2)).
    static func isPassing(_ code: Int32) -> Bool {
        switch code {
        case EAGAIN, EINTR, ECONNABORTED, EPERM: true
        case ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, ETIMEDOUT: true
        default: false
        }
    }
}
