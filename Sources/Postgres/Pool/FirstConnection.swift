package import Networking
import Synchronization

/// The first connection of a pool, made while what the pool belongs to is still put together: the log-in is what a start waits for longest.
package final class FirstConnection: Sendable {
    typealias Outcome = Result<ConnectionHandle, ConnectFailure>

    private enum State {
        case connecting
        case awaited(CheckedContinuation<Outcome, Never>)
        case over(Outcome)
        /// Whoever has it closes it, by letting go of it.
        case taken
    }

    private let state = Mutex(State.connecting)

    /// Begins to connect.
    package init(_ configuration: PostgresConfiguration, connecting: BlockingPool) {
        connecting.start { [self] in
            finish(Self.connect(configuration))
        } orElse: { [self] in
            finish(.failure(Self.overloaded))
        }
    }

    private func finish(_ outcome: Outcome) {
        let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .over(outcome)
                return nil
            }
            state = .taken
            return continuation
        }
        waiting?.resume(returning: outcome)
    }

    /// To be asked for once.
    var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    guard case .over(let outcome) = state else {
                        state = .awaited(continuation)
                        return nil
                    }
                    state = .taken
                    return outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// Connects once, on a thread where that may take as long as it takes.
    static func attempt(_ configuration: PostgresConfiguration, on connecting: BlockingPool) async -> Outcome {
        do throws(BlockingPool.Overloaded) {
            return try await connecting.run { connect(configuration) }
        } catch {
            return .failure(overloaded)
        }
    }

    private static func connect(_ configuration: PostgresConfiguration) -> Outcome {
        Result { () throws(ConnectFailure) in try ConnectionHandle.connect(configuration) }
    }

    private static var overloaded: ConnectFailure { ConnectFailure(message: "no thread is free to connect") }
}
