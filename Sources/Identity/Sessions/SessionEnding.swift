package import Logging
import Text

/// Ends sessions once more that ended with a change of a user's row. A failover of Redis can lose the first end after it was confirmed, and a
/// session would live that its user believes to be over. The job is entered in the transaction of the change and repeats the end a few
/// times, while a replica that lags can still become the primary.
///
/// It names the sessions, as the index had them when the row was held. So it cannot touch a session that began after the change, and it
/// finds a session also where the failover has lost the index alone.
struct SessionEnding: Sendable {
    /// How long after the change the end is repeated.
    static let passes: [Duration] = [.seconds(5), .seconds(60), .seconds(600)]
    /// After that nothing is left that a failover could bring back.
    static let life: Duration = .seconds(86_400)

    let userID: UserID
    let sessions: [SessionID]
    let reason: SessionEnd

    func job(_ id: UUID) -> NewJob {
        var payload = JSONObject()
        payload["user"] = .string(userID.description)
        payload["sessions"] = .array(sessions.map { .string($0.text) })
        payload["reason"] = .string(reason.rawValue)
        // It outlives its user, of whom it has the id alone.
        return NewJob(id: id, .sessionEnding, payload: payload, delay: Self.passes[0], life: Self.life)
    }

    init(userID: UserID, sessions: [SessionID], reason: SessionEnd) {
        self.userID = userID
        self.sessions = sessions
        self.reason = reason
    }

    /// Nil for what is of another version.
    init?(_ job: Job) {
        guard let userID = job.payload["user"]?.stringValue.flatMap({ UserID($0) }),
            let reason = job.payload["reason"]?.stringValue.flatMap({ SessionEnd(rawValue: $0) }),
            let sessions = job.payload["sessions"]?.arrayValue
        else { return nil }
        self.userID = userID
        self.reason = reason
        self.sessions = sessions.compactMap { $0.stringValue.flatMap { SessionID($0) } }
    }
}

/// Carries out `SessionEnding`.
package struct SessionEndingHandler: JobHandler {
    package let kind = JobKind.sessionEnding
    package let policy: JobPolicy

    private let sessions: Sessions
    private let logger: Logger

    package init(sessions: Sessions, logger: Logger) {
        self.sessions = sessions
        self.logger = logger
        var policy = JobPolicy(lease: .seconds(120), backOff: JobBackOff(first: .seconds(2), longest: .seconds(60)))
        policy.parallelism = 4
        self.policy = policy
    }

    package func carryOut(_ job: Job) async -> JobOutcome {
        guard let ending = SessionEnding(job) else { return .hopeless("it is of another version") }
        do throws(IdentityError) {
            for id in ending.sessions { try await end(id, ending) }
        } catch {
            return .failed("\(error)")
        }
        guard let next = SessionEnding.passes.first(where: { $0 > job.age }) else { return .done }
        return .again(after: next - job.age)
    }

    /// Where there is nothing, nothing is left behind. A tombstone may still list access tokens that have come back.
    private func end(_ id: SessionID, _ ending: SessionEnding) async throws(IdentityError) {
        switch try await sessions.store.record(id, at: sessions.system.now()) {
        case .missing: return
        case .ended, .malformed: break
        case .live:
            logger.warning(
                "a session lives that had ended, and ends again: Redis has lost a write",
                ["session": .string(id.text), "user": .string(ending.userID.description)])
        }
        try await sessions.endUnread(id, of: ending.userID, reason: ending.reason)
    }
}
