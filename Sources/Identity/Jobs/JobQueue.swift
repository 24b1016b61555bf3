package import Postgres
import Text

/// The jobs in PostgreSQL: what is entered here survives whatever happens to the process, and is carried out by one of the copies.
package struct JobQueue: Sendable {
    /// Rows of one statement that clears up.
    private static let sweepLimit = 1000

    let pool: PostgresPool
    private let signal: JobSignal?

    /// - Parameter signal: rung after each job that `enter(_:at:)` has entered.
    package init(pool: PostgresPool, signal: JobSignal? = nil) {
        self.pool = pool
        self.signal = signal
    }

    /// Enters a job in the transaction that causes it. After the commit, `ring` has it begun at once in this process.
    /// - Throws: the store's failure.
    func enter(_ job: NewJob, in transaction: Transaction, at time: StatementTime) async throws(IdentityError) {
        let parameters = parameters(of: job, at: time)
        _ = try await mapPostgresErrors { () throws(PostgresError) in try await transaction.query(JobQueries.insert, parameters) }
    }

    /// Enters a job for something that is in no transaction.
    /// - Throws: the store's failure.
    func enter(_ job: NewJob, at time: StatementTime) async throws(IdentityError) {
        let parameters = parameters(of: job, at: time)
        _ = try await mapPostgresErrors { () throws(PostgresError) in try await pool.query(JobQueries.insert, parameters) }
        ring(job.kind)
    }

    /// Tells the runner of this process that there is work.
    func ring(_ kind: JobKind) {
        signal?.ring(kind)
    }

    private func parameters(of job: NewJob, at time: StatementTime) -> [PostgresValue] {
        [
            time.parameter, .uuid(job.id.description), .text(job.kind.rawValue), .text(job.topic),
            .text(orNull: job.userID?.description),
            .json(String(decoding: JSONValue.object(job.payload).serialized, as: UTF8.self)),
            job.sealed.map { .bytes($0) } ?? .null, .duration(job.delay), job.life.map { .duration($0) } ?? .null,
        ]
    }
}

/// What the runner and operators ask.
extension JobQueue {
    /// Takes what is due, at most `count`: nobody else gets it before the end of the lease.
    /// - Parameter topics: nil for all.
    func claim(
        _ count: Int, of kind: JobKind, topics: [String]? = nil, at time: StatementTime, for lease: Duration
    ) async throws(PostgresError) -> [Job] {
        let parameters: [PostgresValue] = [
            time.parameter, .text(kind.rawValue), .duration(lease), .integer(count), topics.map { .textArray($0) } ?? .null,
        ]
        return try await pool.query(JobQueries.claim, parameters).map { row throws(PostgresError) in try Job(row) }
    }

    /// - Parameter isKept: whether the row stays, without what was sealed in it.
    func finish(_ id: UUID, isKept: Bool, at time: StatementTime) async throws(PostgresError) {
        if isKept {
            _ = try await pool.query(JobQueries.finish, [time.parameter, .uuid(id.description)])
        } else {
            _ = try await pool.query(JobQueries.finishAndForget, [.uuid(id.description)])
        }
    }

    /// - Parameter failure: nil for an attempt that worked and is to be repeated.
    func postpone(_ job: Job, by pause: Duration, because failure: String?, at time: StatementTime) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(job.id.description), .integer(job.turn), .duration(pause), .text(orNull: failure),
        ]
        _ = try await pool.query(JobQueries.postpone, parameters)
    }

    func giveBack(_ job: Job, because failure: String, at time: StatementTime) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(job.id.description), .integer(job.turn), .text(failure),
        ]
        _ = try await pool.query(JobQueries.giveBack, parameters)
    }

    /// - Returns: false when another copy has it since.
    func giveUp(
        _ job: Job, because failure: String, keepingSecret: Bool, at time: StatementTime
    ) async throws(PostgresError) -> Bool {
        let parameters: [PostgresValue] = [
            time.parameter, .uuid(job.id.description), .integer(job.turn), .text(failure), .bool(keepingSecret),
        ]
        return try await !pool.query(JobQueries.giveUp, parameters).isEmpty
    }

    /// Gives up what is of no use any more. Returns how many of each kind, by its stored name, and topic.
    func expire(
        keepingSecretsOf kinds: [JobKind], at time: StatementTime
    ) async throws(PostgresError) -> [(kind: String, topic: String, count: Int64)] {
        let parameters: [PostgresValue] = [
            time.parameter, .integer(Self.sweepLimit), .text("expired"), .textArray(kinds.map(\.rawValue)),
        ]
        return try await pool.query(JobQueries.expire, parameters).map { row throws(PostgresError) in
            (try row.string(0), try row.string(1), try row.int64(2))
        }
    }

    /// Deletes what is over for long enough.
    func remove(_ kind: JobKind, _ policy: JobPolicy, at time: StatementTime) async throws(PostgresError) {
        let parameters: [PostgresValue] = [
            time.parameter, .text(kind.rawValue), .duration(policy.keepsFinished), .duration(policy.keepsGivenUp),
            .integer(Self.sweepLimit),
        ]
        _ = try await pool.query(JobQueries.remove, parameters)
    }

    /// Kinds of other versions are left out.
    package func counts(at time: StatementTime) async throws(PostgresError) -> [JobKind: JobCounters.Count] {
        var counts: [JobKind: JobCounters.Count] = [:]
        for row in try await pool.query(JobQueries.counts, [time.parameter]) {
            guard let kind = JobKind(rawValue: try row.string(0)) else { continue }
            var count = JobCounters.Count()
            count.waiting = Int(try row.int64(1))
            count.oldestAge = .milliseconds(max(0, try row.optionalInt64(2) ?? 0))
            count.givenUp = Int(try row.int64(3))
            counts[kind] = count
        }
        return counts
    }

    /// Jobs of a kind and topic that were entered for a user within a duration.
    func count(
        _ kind: JobKind, _ topic: String, of userID: UserID, within window: Duration, at time: StatementTime,
        in transaction: Transaction? = nil
    ) async throws(IdentityError) -> Int64 {
        let parameters: [PostgresValue] = [
            time.parameter, .text(kind.rawValue), .text(topic), .uuid(userID.description), .duration(window),
        ]
        return try await mapPostgresErrors { () throws(PostgresError) in
            let rows =
                if let transaction {
                    try await transaction.query(JobQueries.countSince, parameters)
                } else {
                    try await pool.query(JobQueries.countSince, parameters)
                }
            return try rows.first?.int64(0) ?? 0
        }
    }

    /// What waits, due or not, the oldest first.
    func waiting(_ count: Int, of kind: JobKind, at time: StatementTime) async throws(IdentityError) -> [Job] {
        try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(JobQueries.waiting, [time.parameter, .text(kind.rawValue), .integer(count)])
                .map { row throws(PostgresError) in try Job(row) }
        }
    }

    /// Has everything of a kind that was put off be due. What is under way stays with whoever has it.
    /// - Returns: how many that is.
    func retry(_ kind: JobKind, at time: StatementTime) async throws(IdentityError) -> Int {
        let count = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(JobQueries.retry, [time.parameter, .text(kind.rawValue)]).count
        }
        if count > 0 { ring(kind) }
        return count
    }
}

/// Tells the runner of this process that there is work, from any loop and without waiting.
package final class JobSignal: Sendable {
    private let streams: [JobKind: (rings: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)]

    package init() {
        streams = Dictionary(
            uniqueKeysWithValues: JobKind.allCases.map { kind in
                let stream = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
                return (kind, (stream.stream, stream.continuation))
            })
    }

    /// Several rings while nobody listens are one.
    package func ring(_ kind: JobKind) {
        streams[kind]?.continuation.yield()
    }

    /// To be listened to once.
    func rings(_ kind: JobKind) -> AsyncStream<Void>? {
        streams[kind]?.rings
    }

    /// After this nobody hears it any more.
    func end() {
        for stream in streams.values { stream.continuation.finish() }
    }
}
