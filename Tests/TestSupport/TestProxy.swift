import Glibc
import Synchronization

/// Stands between a program and a server, both at Unix sockets, and fails at a chosen place of their conversation.
package final class TestProxy: Sendable {
    package enum Fault: Sendable, CaseIterable {
        /// All connections end, and those that are made from then on.
        case cut
        /// Nothing is forwarded any more, until `heal()`.
        case hold
    }

    private enum State {
        case forwarding
        /// So many more pieces are forwarded, in either direction.
        case armed(Fault, left: Int)
        case failed(Fault)
        /// After so many more pieces something is done, and all is forwarded still.
        case counting(left: Int, @Sendable () -> Void)
        case counted
    }

    private struct Pair {
        let client: Int32
        let server: Int32
    }

    /// Where the program finds the server.
    package let path: String
    package var directoryPath: String { directory.path }
    private let target: String
    private let directory: TestDirectory
    private let listener: Int32
    private let state = Locked(State.forwarding)
    private let isOver = Atomic(false)

    /// - Parameter name: of the socket.
    package init(to target: String, name: String = "proxy.sock") throws {
        self.target = target
        directory = try TestDirectory()
        path = "\(directory.path)/\(name)"
        listener = Self.makeSocket()
        unlink(path)
        guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
            throw TestDirectory.Failure(code: errno)
        }
        startThread { [weak self, listener] in
            var pairs: [Pair] = []
            while let self, !self.isOver.load(ordering: .acquiring) { self.turn(&pairs) }
            Self.close(&pairs)
            Glibc.close(listener)
        }
    }

    deinit {
        isOver.store(true, ordering: .releasing)
    }

    /// Ends what the proxy does; the program finds nobody any more.
    package func stop() {
        isOver.store(true, ordering: .releasing)
    }

    /// Fails once so many more pieces have been forwarded, requests and answers alike: before the first with 0.
    package func arm(_ fault: Fault, after count: Int) {
        state.withLock { $0 = .armed(fault, left: count) }
    }

    /// Calls `body` once so many more pieces have been forwarded, and goes on afterwards: the piece that is next reaches the server after it.
    package func arm(after count: Int, calling body: @escaping @Sendable () -> Void) {
        state.withLock { $0 = .counting(left: count, body) }
    }

    package func heal() {
        state.withLock { $0 = .forwarding }
    }

    package var hasFailed: Bool {
        state.withLock { state in
            switch state {
            case .failed, .counted: true
            case .forwarding, .armed, .counting: false
            }
        }
    }

    private func turn(_ pairs: inout [Pair]) {
        let failure: Fault? = state.withLock { if case .failed(let fault) = $0 { fault } else { nil } }
        if failure == .cut { Self.close(&pairs) }
        var events = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        if failure != .hold {
            for pair in pairs {
                for descriptor in [pair.client, pair.server] {
                    events.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
                }
            }
        }
        guard poll(&events, nfds_t(events.count), 5) > 0 else { return }
        if events[0].revents != 0 { accept(into: &pairs, refusing: failure == .cut) }
        guard failure == nil else { return }
        let ready = Set(events.dropFirst().filter { $0.revents != 0 }.map(\.fd))
        pairs.removeAll { pair in
            for (from, to) in [(pair.client, pair.server), (pair.server, pair.client)] where ready.contains(from) {
                guard mayForward() else { return false }
                guard Self.forward(from, to) else {
                    Glibc.close(pair.client)
                    Glibc.close(pair.server)
                    return true
                }
            }
            return false
        }
    }

    private func accept(into pairs: inout [Pair], refusing: Bool) {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = Self.makeSocket()
        guard !refusing, Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
            Glibc.close(client)
            Glibc.close(server)
            return
        }
        pairs.append(Pair(client: client, server: server))
    }

    private func mayForward() -> Bool {
        state.withLock { state in
            switch state {
            case .forwarding, .counted: return true
            case .failed: return false
            case .counting(let left, let body):
                state = left > 0 ? .counting(left: left - 1, body) : .counted
                if left == 0 { body() }
                return true
            case .armed(let fault, let left):
                state = left > 0 ? .armed(fault, left: left - 1) : .failed(fault)
                return left > 0
            }
        }
    }

    /// Returns whether both ends are still there.
    private static func forward(_ from: Int32, _ to: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(from, &buffer, buffer.count, 0)
        return count > 0 && send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count
    }

    private static func close(_ pairs: inout [Pair]) {
        for pair in pairs {
            Glibc.close(pair.client)
            Glibc.close(pair.server)
        }
        pairs = []
    }

    private static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
