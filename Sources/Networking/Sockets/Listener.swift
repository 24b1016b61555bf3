import CEpoll
import Glibc

/// A listening socket of one loop. Each loop has its own on the same address (`SO_REUSEPORT`), and the kernel spreads
/// connections over them.
// @unchecked: every member is touched on `loop` only, after `init`.
package final class Listener: ReadinessHandler, @unchecked Sendable {
    /// Whose listeners may be on the same address.
    package enum Sharing: Sendable {
        /// Nobody's yet: an address on which anybody listens is refused.
        case first
        /// Those of this process's other loops.
        case withSiblings
    }

    /// Connections taken a turn, so that a flood of them starves nothing.
    private static let acceptsPerTurn = 16
    /// How many may wait in the system.
    private static let backlog: Int32 = 4096
    /// How long a listener rests when no connection may be taken.
    private static let rest: Duration = .milliseconds(20)
    /// What the system buffers of a connection in either direction, which is memory too: it keeps twice as much at most.
    private static let systemBuffer: Int32 = 64 * 1024
    /// What the system takes for a connection beyond what is on its way already.
    private static let systemBacklog: Int32 = 8 * 1024

    /// Where it listens; the port is the one that the kernel chose when 0 was asked for.
    package let address: SocketAddress
    package let loop: EventLoop

    private let descriptor: Int32
    private let budget: ConnectionBudget
    private let onFull: @Sendable () -> Void
    private let onAccept: @Sendable (Stream) -> Void
    private var registration: Registration?
    /// Given up for a moment when descriptors run out, so that a connection can be taken and shut instead of spinning.
    private var spare: Int32
    private var isOpen = true

    /// Binds and listens; connections are taken from `start()` on.
    /// - Parameters:
    ///   - budget: shared by all listeners whose connections count together.
    ///   - sharing: with whom it may have the address.
    ///   - onFull: called on the loop when a connection may wait for which there is no place.
    ///   - onAccept: called on the loop with each new connection, which it has to close in the end.
    /// - Throws: `SystemError` when the address cannot be had.
    package init(
        _ address: SocketAddress, loop: EventLoop, budget: ConnectionBudget, sharing: Sharing = .withSiblings,
        onFull: @escaping @Sendable () -> Void = {}, onAccept: @escaping @Sendable (Stream) -> Void
    ) throws(SystemError) {
        if case .first = sharing { try Self.expectFree(address) }
        let descriptor = try Socket.make(family: address.family)
        Socket.set(SO_REUSEADDR, on: descriptor)
        Socket.set(SO_REUSEPORT, on: descriptor)
        // Accepted sockets have them from the listener.
        Socket.set(SO_SNDBUF, to: Self.systemBuffer, on: descriptor)
        Socket.set(SO_RCVBUF, to: Self.systemBuffer, on: descriptor)
        Socket.set(TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP), to: Self.systemBacklog, on: descriptor)
        let bound = unsafe address.withSockaddr { unsafe bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, Self.backlog) == 0 else {
            let error = SystemError.last("bind to \(address)")
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.address = Socket.localAddress(descriptor) ?? address
        self.loop = loop
        self.budget = budget
        self.onFull = onFull
        self.onAccept = onAccept
        spare = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// `SO_REUSEPORT` would let another process of this user have the same address, and the system spread connections over both: so the
    /// address is taken without it for a moment.
    private static func expectFree(_ address: SocketAddress) throws(SystemError) {
        let descriptor = try Socket.make(family: address.family)
        defer { Glibc.close(descriptor) }
        // Connections of a process that has ended do not count.
        Socket.set(SO_REUSEADDR, on: descriptor)
        guard unsafe address.withSockaddr({ unsafe bind(descriptor, $0, $1) }) == 0 else { throw .last("bind to \(address)") }
    }

    deinit {
        // One that is started is held by its loop until it is closed; this one has never been.
        guard isOpen else { return }
        Glibc.close(descriptor)
        if spare >= 0 { Glibc.close(spare) }
    }

    /// Begins to take connections. On the loop only.
    /// - Throws: `SystemError` when the loop cannot watch the socket.
    package func start() throws(SystemError) {
        registration = try loop.registerListener(descriptor, handler: self)
    }

    /// Takes the connections that wait, which the system would reset when the address is given up. On the loop only.
    package func takeRest() {
        for _ in 0..<Int(Self.backlog) / Self.acceptsPerTurn where isOpen {
            if acceptSome() == 0 { return }
        }
    }

    /// Stops taking connections and gives the address up. On the loop only.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        if let registration { loop.deregister(registration) }
        Glibc.close(descriptor)
        if spare >= 0 { Glibc.close(spare) }
    }

    package func ready(_ readiness: Readiness) {
        _ = acceptSome()
    }

    /// - Returns: how many it has taken.
    private func acceptSome() -> Int {
        for count in 0..<Self.acceptsPerTurn {
            guard budget.take() else {
                onFull()
                pause()
                return count
            }
            do throws(SystemError) {
                guard let (accepted, peer) = try Socket.accept(descriptor) else {
                    budget.release()
                    return count
                }
                let budget = budget
                // The first edge says whether something is there already.
                let stream = try Stream(accepted, peer: peer, loop: loop, isEmpty: true, onClose: { budget.release() })
                onAccept(stream)
            } catch {
                budget.release()
                shed()
                return count
            }
        }
        return Self.acceptsPerTurn
    }

    /// No connection is taken for a moment: those that wait stay in the kernel's queue.
    private func pause() {
        guard let registration else { return }
        loop.setPaused(true, registration)
        loop.schedule(after: Self.rest) { [weak self] in
            guard let self, self.isOpen else { return }
            self.loop.setPaused(false, registration)
        }
    }

    /// Out of descriptors: takes one connection with the spare descriptor's place, shuts it, and rests.
    private func shed() {
        if spare >= 0 { Glibc.close(spare) }
        if let (accepted, _) = try? Socket.accept(descriptor) { Glibc.close(accepted) }
        spare = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        pause()
    }
}
