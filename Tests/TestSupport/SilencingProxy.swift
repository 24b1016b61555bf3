import Synchronization

/// A relay in front of a server on the loopback address, which can fall silent: it goes on taking connections and bytes, and passes
/// nothing on.
package final class SilencingProxy: Sendable {
    /// What it does with what comes.
    package enum Mode: Int, AtomicRepresentable, Sendable {
        case passing
        /// Swallows everything, on all connections, those that are still to come too.
        case silent
        /// Keeps what the server says until the server ends the connection, and passes it on in one piece then.
        case holding
    }

    private struct State {
        var ends: [TestSocket] = []
        var count = 0
        var target: UInt16
    }

    private let listener: TestSocket
    private let current = Atomic(Mode.passing)
    private let isStopped = Atomic(false)
    private let trigger: [UInt8]
    private let silencesAll: Bool
    private let state: Locked<State>

    /// - Parameters:
    ///   - trigger: what a client says to make the proxy silent, from these bytes on.
    ///   - silencesAll: whether on all connections, or on this one only.
    package init(to target: UInt16, silentAt trigger: String = "", silencesAll: Bool = true) throws {
        state = Locked(State(target: target))
        self.trigger = [UInt8](trigger.utf8)
        self.silencesAll = silencesAll
        listener = try TestSocket(listeningOn: 0)
        startThread { [self] in
            while let client = try? listener.accept(), !isStopped.load(ordering: .relaxed) {
                state.withLock {
                    $0.count += 1
                    $0.ends.append(client)
                }
                startThread { try? self.relay(client) }
            }
        }
    }

    package var port: UInt16 { listener.port }

    package var mode: Mode {
        get { current.load(ordering: .relaxed) }
        set { current.store(newValue, ordering: .relaxed) }
    }

    /// Ends all connections; those that are made from now on lead to another server.
    package func move(to target: UInt16) {
        let ends = state.withLock { state in
            state.target = target
            defer { state.ends = [] }
            return state.ends
        }
        for end in ends { end.stopListening() }
    }

    /// How many connections there have been.
    package var connectionCount: Int { state.withLock { $0.count } }

    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        listener.stopListening()
        for end in state.withLock({ $0.ends }) { end.stopListening() }
    }

    private func relay(_ client: TestSocket) throws {
        let server = try TestSocket(connectingTo: state.withLock { $0.target })
        state.withLock { $0.ends.append(server) }
        let isSilent = Locked(false)
        startThread { [self] in
            var held: [UInt8] = []
            while let bytes = try? server.receive(), !bytes.isEmpty {
                switch mode {
                case .silent: continue
                case .holding: held += bytes
                case .passing: if !isSilent.value { try? client.send(bytes) }
                }
            }
            guard mode != .silent, !isSilent.value else { return }
            if !held.isEmpty { try? client.send(held) }
            client.endSending()
        }
        var last: [UInt8] = []
        while case let bytes = try client.receive(), !bytes.isEmpty {
            last = last.suffix(trigger.count) + bytes
            if !trigger.isEmpty, last.contains(trigger) {
                isSilent.withLock { $0 = true }
                if silencesAll { mode = .silent }
            }
            // What has been said reaches the server; only nobody hears of it any more.
            if mode != .silent { try server.send(bytes) }
        }
        server.endSending()
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard count >= part.count else { return false }
        return (0...count - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
    }
}
