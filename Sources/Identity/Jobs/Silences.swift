import Networking
import Synchronization

/// Endpoints that have kept us waiting without an answer, and are not asked for a while: else the letters to one that hangs would take all
/// places, and those to others would wait.
final class Silences: Sendable {
    static let rest: Duration = .seconds(30)
    /// Who fails sooner holds nobody up.
    static let patience: Duration = .seconds(1)
    /// Beyond, all are asked again.
    private static let limit = 1000

    private let noted = Mutex<[String: Instant]>([:])

    func holds(for url: String, at now: Instant) -> Bool {
        noted.withLock { $0[url].map { now.since($0) < Self.rest } ?? false }
    }

    /// - Parameter now: when it was asked.
    func note(_ url: String, at now: Instant) {
        noted.withLock { noted in
            if noted.count >= Self.limit { noted = noted.filter { now.since($0.value) < Self.rest } }
            if noted.count >= Self.limit { noted = [:] }
            noted[url] = now
        }
    }
}
