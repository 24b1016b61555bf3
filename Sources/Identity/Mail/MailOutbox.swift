import Postgres
package import Text

/// Mail that is to be sent, as jobs: what has been put here survives whatever happens to the process or to the mail server.
package struct MailOutbox: Sendable {
    /// Mails of one kind that a user may get in `window`, so that nobody fills another's mailbox.
    package static let limit = 5
    /// The same for those that somebody asks for. Strangers get no more than the budget of the recipient (`LimitAttempt.mail`); the rest is
    /// for those who are known.
    package static let limitOfAsked = 20
    package static let window: Duration = .seconds(3600)

    private let jobs: JobQueue
    private let seal: MailSeal

    package init(jobs: JobQueue, seal: MailSeal) {
        self.jobs = jobs
        self.seal = seal
    }

    /// Whether a user may get one more mail of a kind now that somebody asks for.
    /// - Throws: the store's failure.
    func hasRoom(for userID: UserID, _ kind: Mail.Kind, at time: StatementTime) async throws(IdentityError) -> Bool {
        try await jobs.count(.mail, kind.rawValue, of: userID, within: Self.window, at: time) < Self.limitOfAsked
    }

    /// Puts a mail to the others, for as long as it says it is of use. One to a user who is not there is dropped, at the same price.
    /// - Throws: the store's failure.
    func add(_ mail: Mail, at time: StatementTime) async throws(IdentityError) {
        try await jobs.enter(try mail.job(seal), at: time)
    }

    /// The same within a transaction, which has `ring` follow.
    /// - Parameter isCounted: whether it is left out when the user has got enough of the kind in `window`.
    /// - Throws: the store's failure.
    func add(
        _ mail: Mail, isCounted: Bool = true, in transaction: Transaction, at time: StatementTime
    ) async throws(IdentityError) {
        let job = try mail.job(seal)
        if isCounted, let userID = mail.userID {
            let count = try await jobs.count(
                .mail, mail.kind.rawValue, of: userID, within: Self.window, at: time, in: transaction)
            guard count < Self.limit else { return }
        }
        try await jobs.enter(job, in: transaction, at: time)
    }

    /// Tells whoever sends mail that there is some.
    func ring() {
        jobs.ring(.mail)
    }

    /// Has everything that was put off be due.
    /// - Returns: how many that is.
    /// - Throws: the store's failure.
    package func retry(at time: StatementTime) async throws(IdentityError) -> Int {
        try await jobs.retry(.mail, at: time)
    }

    /// What waits, due or not, the oldest first, at most `count`. What is of another version or does not open has no mail.
    /// - Throws: the store's failure.
    package func waiting(_ count: Int, at time: StatementTime) async throws(IdentityError) -> [StoredMail] {
        try await jobs.waiting(count, of: .mail, at: time).map { StoredMail($0, seal) }
    }
}

extension Mail {
    fileprivate func job(_ seal: MailSeal) throws(IdentityError) -> NewJob {
        var payload = JSONObject()
        payload["recipient"] = .string(recipient)
        payload["language"] = .string(language.rawValue)
        return NewJob(
            id: id, .mail, topic: kind.rawValue, userID: userID, payload: payload, sealed: try seal.seal(self),
            life: expiresAt.duration(since: createdAt))
    }
}

/// A mail as it is stored.
package struct StoredMail: Sendable {
    package let id: UUID
    /// As it is stored, because a newer version knows kinds that this one does not.
    package let kind: String
    package let recipient: String
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// With the one under way.
    package let attempts: Int
    /// Nil for what is of another version, or does not open with our master key.
    package let mail: Mail?

    init(_ job: Job, _ seal: MailSeal) {
        id = job.id
        kind = job.topic
        recipient = job.payload["recipient"]?.stringValue ?? ""
        createdAt = job.createdAt
        expiresAt = job.givesUpAt ?? job.createdAt
        attempts = job.attempts
        guard let kind = Mail.Kind(rawValue: kind),
            let language = job.payload["language"]?.stringValue.flatMap({ Mail.Language(rawValue: $0) }),
            let (link, detail) = job.sealed.flatMap({ try? seal.open($0, of: job.id) })
        else {
            mail = nil
            return
        }
        mail = Mail(
            id: id, userID: job.userID, kind: kind, recipient: recipient, language: language, link: link, detail: detail,
            createdAt: createdAt, expiresAt: expiresAt)
    }
}
