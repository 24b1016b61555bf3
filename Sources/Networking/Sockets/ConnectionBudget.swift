import Glibc
import Synchronization

/// How many accepted connections a process may hold, counted over all loops.
package final class ConnectionBudget: Sendable {
    /// Descriptors kept for everything but accepted connections: stores, files, libraries.
    package static let reservedDescriptors = 64

    package let limit: Int
    private let taken = Atomic<Int>(0)

    /// - Parameters:
    ///   - wanted: the configured limit.
    ///   - otherDescriptors: how many descriptors the process needs beside connections. The limit stays that far below the
    ///     process's own (`RLIMIT_NOFILE`), because libdispatch ends a process that runs out of them.
    package init(wanted: Int, otherDescriptors: Int = ConnectionBudget.reservedDescriptors) {
        var descriptors = rlimit()
        let known = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0
        let available = known ? Int(clamping: descriptors.rlim_cur) : 1024
        limit = max(1, min(wanted, available - otherDescriptors))
    }

    /// How many connections stand now.
    package var count: Int { taken.load(ordering: .relaxed) }

    func take() -> Bool {
        let (_, now) = taken.wrappingAdd(1, ordering: .relaxed)
        if now <= limit { return true }
        release()
        return false
    }

    func release() {
        taken.wrappingSubtract(1, ordering: .relaxed)
    }
}
