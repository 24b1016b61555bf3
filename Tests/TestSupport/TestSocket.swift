import Glibc

/// A blocking TCP socket on 127.0.0.1: bytes in, bytes out, no protocol. Every call ends after `patience` at the latest.
///
/// A call with a time to wait fails with EINTR when the process is stopped and goes on (signal(7)), so each is made again.
package final class TestSocket: Sendable {
    package struct Failure: Error, Equatable {
        package let call: String
        package let code: Int32

        fileprivate static func last(_ call: String) -> Failure { Failure(call: call, code: errno) }

        /// Nothing happened for as long as a test is willing to wait.
        package var isTimeout: Bool { code == EAGAIN }
        package var isReset: Bool { code == ECONNRESET || code == EPIPE }
    }

    package static let patience = 120

    private let descriptor: Int32

    private init(taking descriptor: Int32) {
        self.descriptor = descriptor
        var patience = timeval(tv_sec: Self.patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    }

    private static func make() throws(Failure) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("socket") }
        return descriptor
    }

    /// - Parameters:
    ///   - address: one of 127.0.0.0/8 to connect from, to play several peers.
    ///   - receiveBuffer: the size of the kernel's buffer for what has not been read, to play a slow reader.
    package convenience init(connectingTo port: UInt16, from address: String? = nil, receiveBuffer: Int32? = nil) throws(Failure)
    {
        self.init(taking: try Self.make())
        if let address {
            guard withLoopback(0, host: address, { bind(descriptor, $0, $1) }) == 0 else { throw .last("bind") }
        }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard withLoopback(port, { connect(descriptor, $0, $1) }) != 0 else { return }
        guard errno == EINTR else { throw .last("connect") }
        try waitUntilConnected()
    }

    /// What a `connect` that was interrupted has begun goes on by itself.
    private func waitUntilConnected() throws(Failure) {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let count = again { poll(&event, 1, Int32(Self.patience) * 1000) }
        guard count > 0 else { throw count < 0 ? .last("poll") : Failure(call: "connect", code: EAGAIN) }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { throw Failure(call: "connect", code: code) }
    }

    /// - Parameter port: 0 for any that is free.
    package convenience init(listeningOn port: UInt16) throws(Failure) {
        self.init(taking: try Self.make())
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard withLoopback(port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1024) == 0 else {
            throw .last("bind")
        }
    }

    /// Whether nobody listens on a port. The socket that asks does not listen itself: a process that another thread starts has a copy
    /// of it for a moment, and who listens keeps the port until the last copy is closed.
    package static func isFree(_ port: UInt16) throws(Failure) -> Bool {
        let probe = TestSocket(taking: try make())
        var one: Int32 = 1
        setsockopt(probe.descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        return withLoopback(port, { bind(probe.descriptor, $0, $1) }) == 0
    }

    deinit {
        close(descriptor)
    }

    /// Takes a connection of a listening socket.
    package func accept() throws(Failure) -> TestSocket {
        let accepted = again { Glibc.accept(descriptor, nil, nil) }
        guard accepted >= 0 else { throw .last("accept") }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return TestSocket(taking: accepted)
    }

    /// The port of this end.
    package var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    package func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { part in
                again { Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL)) }
            }
            guard count >= 0 else { throw .last("send") }
            sent += count
        }
    }

    package func send(_ text: String) throws(Failure) {
        try send([UInt8](text.utf8))
    }

    /// What comes next, at most `count` bytes; empty at the end of the peer's stream.
    package func receive(atMost count: Int = 64 * 1024) throws(Failure) -> [UInt8] {
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            received = again { recv(descriptor, buffer.baseAddress, count, 0) }
            initialized = max(0, received)
        }
        guard received >= 0 else { throw .last("recv") }
        return bytes
    }

    /// Whether the peer has ended its stream and all of it has been read. Does not wait.
    package var hasEnded: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Everything up to the end of the peer's stream.
    package func receiveAll() throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try receive()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    /// Ends this side; the other may still send.
    package func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Has whoever waits in `accept` fail.
    package func stopListening() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Has the end of this socket, which is when it is let go of, tell the peer by a reset.
    package func resetAtEnd() {
        var abort = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size))
    }
}

/// Makes a system call until it is not interrupted.
private func again<Count: SignedInteger>(_ call: () -> Count) -> Count {
    while true {
        let count = call()
        if count >= 0 || errno != EINTR { return count }
    }
}

private func withLoopback(_ port: UInt16, host: String = "127.0.0.1", _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
    -> Int32
{
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}
