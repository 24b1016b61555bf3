import Synchronization

/// Whether a process takes requests or is on its way out. Shared by all its loops; read once a request.
package final class ServerPhase: Sendable {
    private let isDraining = Atomic<Bool>(false)

    package init() {}

    /// True from the first sign of the end: every response then closes its connection.
    package var drains: Bool { isDraining.load(ordering: .relaxed) }

    /// From now on the process is on its way out. From any thread; there is no way back.
    package func beginDraining() {
        isDraining.store(true, ordering: .relaxed)
    }
}
