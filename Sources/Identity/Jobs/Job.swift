import Postgres
package import Text

/// Work that is to be entered.
package struct NewJob: Sendable {
    package let id: UUID
    package let kind: JobKind
    /// What tells jobs of a kind apart for their handler and in metrics, such as a provider; empty where nothing does.
    package let topic: String
    /// The user with whom the job goes when they are deleted; nil for one that stays. There is no job for a user who is not there.
    package let userID: UserID?
    /// Without secrets.
    package let payload: JSONObject
    /// Encrypted by whoever enters it. It is forgotten when the job is finished.
    package let sealed: [UInt8]?
    /// How long to wait before the first attempt.
    package let delay: Duration
    /// How long it is of use; nil for ever.
    package let life: Duration?

    package init(
        id: UUID, _ kind: JobKind, topic: String = "", userID: UserID? = nil, payload: JSONObject, sealed: [UInt8]? = nil,
        delay: Duration = .zero, life: Duration?
    ) {
        self.id = id
        self.kind = kind
        self.topic = topic
        self.userID = userID
        self.payload = payload
        self.sealed = sealed
        self.delay = delay
        self.life = life
    }
}

/// A job as it is stored.
package struct Job: Sendable {
    package let id: UUID
    package let topic: String
    package let userID: UserID?
    /// Empty for what cannot be read.
    package let payload: JSONObject
    /// Nil once the job is over.
    package let sealed: [UInt8]?
    package let createdAt: Timestamp
    package let givesUpAt: Timestamp?
    /// With the one under way.
    package let attempts: Int
    /// Of the claim; see `JobLife`.
    package let turn: Int64
    /// Since it was entered, by the clock of the statement that has read it.
    package let age: Duration

    /// - Parameter row: the columns of `JobQueries.claim`.
    init(_ row: Row) throws(PostgresError) {
        guard let id = UUID(try row.string(0)) else { throw .unexpectedColumn(0) }
        self.id = id
        topic = try row.string(1)
        userID = try row.optionalString(2).flatMap { UserID($0) }
        payload = (try? JSON.parse(try row.string(3)))?.objectValue ?? JSONObject()
        sealed = try row.optionalBytes(4)
        createdAt = Timestamp(milliseconds: try row.int64(5))
        givesUpAt = try row.optionalInt64(6).map { Timestamp(milliseconds: $0) }
        attempts = Int(try row.int64(7))
        turn = try row.int64(8)
        age = .milliseconds(max(0, try row.int64(9)))
    }
}

/// What has come of an attempt.
package enum JobOutcome: Equatable, Sendable {
    case done
    /// It worked, and is to be repeated after a while.
    case again(after: Duration)
    /// It did not work, and may later. The reason has no secret in it.
    case failed(String)
    /// It will never work.
    case hopeless(String)
    /// There was no attempt, because something is missing that every job of the kind needs.
    case untried(String)
}

/// How jobs of a kind are carried out. A handler keeps no list of them: the runner claims them and stores what came of them.
package protocol JobHandler: Sendable {
    var kind: JobKind { get }
    var policy: JobPolicy { get }

    /// What can be carried out at present.
    func readiness() async -> JobReadiness

    /// Makes one attempt. It may be the second for the same job at the same time, if the lease was too short.
    func carryOut(_ job: Job) async -> JobOutcome

    /// The job is finished, and PostgreSQL knows it.
    func didFinish(_ job: Job) async

    /// The job was given up, and PostgreSQL knows it.
    func didGiveUp(_ job: Job, because reason: String) async
}

extension JobHandler {
    package func readiness() async -> JobReadiness { .everything }
    package func didFinish(_ job: Job) async {}
    package func didGiveUp(_ job: Job, because reason: String) async {}
}

/// Which jobs of a kind can be carried out at present.
package enum JobReadiness: Equatable, Sendable {
    case everything
    /// Those of some topics. Others wait for a copy that knows them.
    case topics([String])
    case nothing
}
