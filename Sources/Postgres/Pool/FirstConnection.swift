package import Networking

/// The first connection of a pool, made while what the pool belongs to is still put together: the log-in is what a start waits for longest.
package struct FirstConnection: Sendable {
    private let attempt: Task<Result<ConnectionHandle, ConnectFailure>, Never>

    /// Begins to connect.
    /// - Parameter loop: the pool's.
    package init(_ configuration: PostgresConfiguration, loop: EventLoop, connecting: BlockingPool) {
        attempt = Task.detached(executorPreference: loop) { await Self.attempt(configuration, on: connecting) }
    }

    var outcome: Result<ConnectionHandle, ConnectFailure> {
        get async { await attempt.value }
    }

    /// Connects once, on a thread where that may take as long as it takes.
    static func attempt(
        _ configuration: PostgresConfiguration, on connecting: BlockingPool
    ) async -> Result<ConnectionHandle, ConnectFailure> {
        do throws(BlockingPool.Overloaded) {
            return try await connecting.run {
                Result { () throws(ConnectFailure) in try ConnectionHandle.connect(configuration) }
            }
        } catch {
            return .failure(ConnectFailure(message: "no thread is free to connect"))
        }
    }
}
