package import Logging
package import Networking
package import Outbound
import Postgres
import Text

/// Sends what is in the outbox: behind everybody's back, and until the mail server has taken or refused it or it is of no use any more.
/// Every copy runs one, and they share the work: no mail is with two copies at once.
///
/// Each mail is handed over at least once. A copy that dies between the mail server's yes and its own note of it leaves the mail to
/// another one after the lease; the two have the same `Message-ID`.
package actor MailDelivery {
    /// How mail is sent, in numbers.
    package struct Policy: Sendable {
        /// Mails under way at once.
        package var connections = 2
        /// How long handing over may take at most; what `SMTPConfiguration` says.
        package var timeout: Duration = .seconds(60)
        /// How often to look for mails of other copies, and for those whose pause is over.
        package var pollInterval: Duration = .seconds(5)
        /// Between two attempts.
        package var longestPause: Duration = .seconds(15 * 60)
        /// How long to remember that there was a mail; at least `MailOutbox.window`.
        package var retention: Duration = .seconds(7 * 86_400)

        package init() {}

        /// What a copy has taken and says nothing of is free again after that.
        var lease: Duration { timeout + .seconds(60) }
    }

    private static let sweepPeriod: Duration = .seconds(60)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let queue: MailQueue
    private let client: SMTPClient?
    private var composer: MailComposer?
    private let policy: Policy
    private let audit: AuditLog
    private let metrics: IdentityMetrics
    private let ambience: Ambience
    private let bell: MailBell
    private let logger: Logger
    private var server = MailServerState()
    private var isRunning = true
    private var isWorking = false
    private var storeIsAway = false
    private var sweptAt: Timestamp?
    /// Sent, but PostgreSQL has not been told yet: these must not be sent again.
    private var unrecorded: [UUID] = []
    private var lastTimer: LoopTimer?

    /// - Parameters:
    ///   - client: nil where no mail is sent; the outbox is cleared up all the same.
    ///   - composer: nil as well.
    package init(
        queue: MailQueue, client: SMTPClient?, composer: MailComposer?, policy: Policy, audit: AuditLog, metrics: IdentityMetrics,
        ambience: Ambience, bell: MailBell, loop: EventLoop, logger: Logger
    ) {
        self.queue = queue
        self.client = client
        self.composer = composer
        self.policy = policy
        self.audit = audit
        self.metrics = metrics
        self.ambience = ambience
        self.bell = bell
        self.loop = loop
        self.logger = logger
    }

    /// Looks whenever the bell rings, and now and then, until `close()`.
    package func run() async {
        bell.ring()
        for await _ in bell.rings {
            guard isRunning else { break }
            await work()
            let timer = loop.schedule(after: policy.pollInterval) { [bell] in bell.ring() }
            lastTimer.map { loop.cancel($0) }
            lastTimer = timer
        }
    }

    /// Writes other texts, or from another address, from the next mail on.
    package func use(_ composer: MailComposer) {
        self.composer = composer
    }

    /// Takes nothing more.
    package func beginClosing() {
        isRunning = false
        bell.remove()
        lastTimer.map { loop.cancel($0) }
    }

    /// Waits for the mails under way, but not beyond `deadline`: another copy takes those again after their lease.
    package func close(by deadline: Instant) async {
        beginClosing()
        while isWorking, Instant.now() < deadline { await loop.sleep(for: .milliseconds(10)) }
        try? await record()
    }

    /// Goes through everything that is due.
    package func work() async {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        do throws(PostgresError) {
            try await record()
            if let client { try await send(with: client) }
            try await sweep()
            try await count()
            storeIsAway = false
        } catch {
            // What was taken comes back with the end of its lease.
            if !storeIsAway { logger.warning("the outbox cannot be read: mail waits", ["error": "\(error)"]) }
            storeIsAway = true
        }
    }

    private func send(with client: SMTPClient) async throws(PostgresError) {
        while isRunning, !server.rests(at: ambience.now()), let composer {
            let now = ambience.now()
            let mails = try await queue.claim(policy.connections, at: now, until: now.adding(policy.lease))
            let outcomes = await handOver(mails, composer, client)
            // First of all what must not be sent again.
            for (mail, failure) in outcomes where failure == nil { noteSent(mail) }
            try await record()
            var trouble: MailFailure.Trouble?
            for case (let mail, let failure?) in outcomes { trouble = try await settle(mail, failure) ?? trouble }
            if let trouble { return note(trouble) }
            guard mails.count == policy.connections else { return }
        }
    }

    /// Hands over all of them at once. What becomes of each; nil for what was sent.
    private func handOver(
        _ mails: [StoredMail], _ composer: MailComposer, _ client: SMTPClient
    ) async -> [(StoredMail, MailFailure?)] {
        await withTaskGroup { group in
            for mail in mails {
                group.addTask { (mail, await Self.handOver(mail, composer, client)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func handOver(_ stored: StoredMail, _ composer: MailComposer, _ client: SMTPClient) async -> MailFailure? {
        guard let mail = stored.mail else { return .unreadable }
        guard let message = composer.message(mail) else { return .unwritable }
        do throws(SMTPError) {
            try await client.send(
                SMTPMessage(
                    sender: composer.sender.address.normalized, recipient: message.recipient, content: message.bytes))
            return nil
        } catch {
            return MailFailure(error)
        }
    }

    /// Records why a mail was not sent. Returns what is wrong with the mail server, if that was it.
    private func settle(_ mail: StoredMail, _ failure: MailFailure) async throws(PostgresError) -> MailFailure.Trouble? {
        let now = ambience.now()
        switch failure {
        case .refused, .unwritable:
            if case .refused = failure { noteAnswer() }
            try await giveUp(mail, failure, now)
        case .deferred:
            noteAnswer()
            try await postpone(mail, .deferred, failure, now)
        case .busy: try await postpone(mail, .deferred, failure, now)
        case .unreadable, .expired: try await postpone(mail, .unreadable, failure, now)
        case .unreachable(let trouble):
            try await postpone(mail, .deferred, failure, now)
            return trouble
        case .halted(let trouble):
            try await queue.giveBack(mail, at: now, because: failure.text)
            return trouble
        }
        return nil
    }

    /// Tells PostgreSQL of what was sent.
    private func record() async throws(PostgresError) {
        while let id = unrecorded.first {
            try await queue.finish(id, at: ambience.now())
            unrecorded.removeAll { $0 == id }
        }
    }

    private func postpone(
        _ mail: StoredMail, _ outcome: MailCounters.Outcome, _ failure: MailFailure, _ now: Timestamp
    ) async throws(PostgresError) {
        count(outcome, mail)
        let chance = ambience.random(1).first ?? 0
        let pause = MailSchedule.pause(afterAttempts: mail.attempts, longest: policy.longestPause, chance: chance)
        logger.info("a mail could not be sent yet", fields(mail, failure))
        try await queue.postpone(mail, until: now.adding(pause), because: failure.text)
    }

    private func giveUp(_ mail: StoredMail, _ failure: MailFailure, _ now: Timestamp) async throws(PostgresError) {
        count(.refused, mail)
        logger.warning("a mail was refused, and will not be tried again", fields(mail, failure))
        try await queue.giveUp(mail, at: now, because: failure.text)
        var detail = JSONObject()
        detail["mail"] = .string(mail.id.description)
        detail["mail_kind"] = .string(mail.kind)
        detail["failure"] = .string(failure.text)
        await audit.record(
            AuditEvent(
                id: ambience.uuid(), time: now, kind: .mailGivenUp, actor: .system, userID: mail.mail?.userID, detail: detail))
    }

    /// Neither the recipient nor the link.
    private func fields(_ mail: StoredMail, _ failure: MailFailure) -> LogFields {
        [
            "mail": .string(mail.id.description), "kind": .string(mail.kind), "attempts": .integer(mail.attempts),
            "failure": .string(failure.text),
        ]
    }

    private func count(_ outcome: MailCounters.Outcome, _ mail: StoredMail) {
        guard let kind = Mail.Kind(rawValue: mail.kind) else { return }
        metrics.countMails { $0.count(outcome, of: kind) }
    }

    private func noteSent(_ mail: StoredMail) {
        noteAnswer()
        count(.sent, mail)
        unrecorded.append(mail.id)
    }

    private func noteAnswer() {
        if server.answered() { logger.info("the mail server takes mail again") }
        metrics.countMails { $0.isServerUp = true }
    }

    private func note(_ trouble: MailFailure.Trouble) {
        let chance = ambience.random(1).first ?? 0
        metrics.countMails { $0.isServerUp = false }
        guard server.failed(trouble, at: ambience.now(), chance: chance) else { return }
        logger.error(
            "the mail server takes no mail from us: all mail waits",
            ["trouble": .string(trouble.name), "detail": .string(trouble.detail)])
    }

    private func sweep() async throws(PostgresError) {
        let now = ambience.now()
        if let sweptAt, now.duration(since: sweptAt) < Self.sweepPeriod { return }
        sweptAt = now
        var expired: Int64 = 0
        for (name, count) in try await queue.expire(at: now) {
            expired += count
            guard let kind = Mail.Kind(rawValue: name) else { continue }
            metrics.countMails { $0.count(.expired, of: kind, UInt64(count)) }
        }
        if expired > 0 { logger.warning("mails were not sent in time", ["count": .integer(Int(expired))]) }
        try await queue.remove(upTo: now.adding(.zero - max(policy.retention, MailOutbox.window)))
    }

    private func count() async throws(PostgresError) {
        let now = ambience.now()
        let counts = try await queue.counts(at: now)
        metrics.countMails { counters in
            counters.waiting = counts.waiting
            counters.oldestAge = counts.oldest.map { max(.zero, now.duration(since: $0)) } ?? .zero
        }
    }
}
