import Glibc
import Networking
import Synchronization

/// The signals that end the server.
final class Signals: Sendable {
    private enum State {
        case waiting
        case awaited(CheckedContinuation<StartError?, Never>)
        case over
    }

    private let state = Mutex(State.waiting)
    private let sources: Mutex<[SignalSource]> = Mutex([])

    init() {
        for number in [SIGTERM, SIGINT] {
            let source = SignalSource(number) { [weak self] in self?.arrived() }
            sources.withLock { $0.append(source) }
        }
    }

    /// Suspends until a signal arrives (nil), or until `preparing` has failed.
    func first(or preparing: Task<StartError?, Never>) async -> StartError? {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if case .over = state { return true }
                state = .awaited(continuation)
                return false
            }
            if isOver { return continuation.resume(returning: nil) }
            Task { @MainActor in
                if let failure = await preparing.value { self.end(with: failure) }
            }
        }
    }

    private func arrived() {
        let isSecond = state.withLock { state in
            if case .over = state { return true }
            return false
        }
        // Asked twice: do not wait for anything any more.
        if isSecond { _exit(ExitStatus.failure) }
        end(with: nil)
    }

    private func end(with failure: StartError?) {
        let continuation = state.withLock { state -> CheckedContinuation<StartError?, Never>? in
            defer { state = .over }
            guard case .awaited(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(returning: failure)
    }
}
