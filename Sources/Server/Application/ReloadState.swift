import Synchronization

/// Whether the configuration that the last SIGHUP has asked for was refused, so that the one before is still in force.
final class ReloadState: Sendable {
    private let rejected = Atomic(false)

    var isRejected: Bool { rejected.load(ordering: .relaxed) }

    func note(rejected isRejected: Bool) {
        rejected.store(isRejected, ordering: .relaxed)
    }
}
