import Dispatch
import Networking
import TestSupport

@testable import Identity

/// The one thread of a copy that hashes passwords, held up, so that whoever wants a hash waits.
final class HeldHashing: Sendable {
    private let gate: DispatchSemaphore
    private let job: Task<Void, any Error>

    init(_ copy: Copy) async throws {
        let gate = DispatchSemaphore(value: 0)
        let isHeld = Locked(false)
        self.gate = gate
        job = Task {
            try await copy.hashing.run {
                isHeld.withLock { $0 = true }
                gate.wait()
            }
        }
        try await eventually { isHeld.value }
    }

    func release() async throws {
        gate.signal()
        try await job.value
    }
}
