package import Logging
package import Networking
package import Outbound
import Postgres
import Text

/// Sends what is in the outbox: behind everybody's back, and until the mail server has taken or refused it or it is of no use any more.
/// Every copy runs one, and they share the work: no mail is with two copies at once.
///
/// Each mail is handed over at least once. A copy that dies between the mail server's yes and its own note of it leaves the mail to
/// another one after the lease; the two have the same `Message-ID`. One that cannot reach PostgreSQL makes that note before anything
/// else, and after PostgreSQL was away all let some time pass before they take mails, so that each can.
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
        /// How long nothing is taken after PostgreSQL was away: every copy has looked by then.
        var settling: Duration { pollInterval * 2 }
    }

    /// What is known of PostgreSQL.
    private enum Store {
        case there
        case away
        /// It has been away until a moment ago.
        case back(Rest)
    }

    /// How long a copy waits that has something to tell PostgreSQL.
    private static let urgentInterval: Duration = .seconds(1)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let queue: MailQueue
    private var client: SMTPClient?
    private var composer: MailComposer?
    private let policy: Policy
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let signal: MailSignal
    private let logger: Logger
    private let outcomes: MailOutcomes
    private let upkeep: MailUpkeep
    private var swept: Rest?
    private var server = MailServerState()
    private var store = Store.there
    private var isRunning = true
    private var isWorking = false
    /// Sent, but PostgreSQL has not been told yet: these must not be sent again.
    private var unrecorded: [UUID] = []
    private var lastTimer: LoopTimer?

    /// - Parameters:
    ///   - client: nil where no mail is sent; the outbox is cleared up all the same.
    ///   - composer: nil as well.
    package init(
        queue: MailQueue, client: SMTPClient?, composer: MailComposer?, policy: Policy, audit: AuditLog, metrics: IdentityMetrics,
        system: SystemContext, signal: MailSignal, loop: EventLoop, logger: Logger
    ) {
        self.queue = queue
        self.client = client
        self.composer = composer
        self.policy = policy
        self.metrics = metrics
        self.system = system
        self.signal = signal
        self.loop = loop
        self.logger = logger
        outcomes = MailOutcomes(
            queue: queue, longestPause: policy.longestPause, audit: audit, metrics: metrics, system: system, logger: logger)
        upkeep = MailUpkeep(
            queue: queue, retention: max(policy.retention, MailOutbox.window), metrics: metrics, system: system,
            logger: logger)
    }

    /// Looks whenever the signal rings, and now and then, until `close()`.
    package func run() async {
        signal.ring()
        for await _ in signal.rings {
            guard isRunning else { break }
            await work()
            let pause = unrecorded.isEmpty ? policy.pollInterval : min(policy.pollInterval, Self.urgentInterval)
            let timer = loop.schedule(after: pause) { [signal] in signal.ring() }
            lastTimer.map { loop.cancel($0) }
            lastTimer = timer
        }
    }

    /// Hands mail over to another server, from another address or in other texts, from the next mail on. What is under way goes where it
    /// was to go.
    package func use(_ client: SMTPClient?, _ composer: MailComposer?) {
        self.composer = composer
        guard client !== self.client else { return }
        self.client = client
        // Nothing is known of this one, and so it need not rest.
        server = MailServerState()
        metrics.countMails { $0.isServerUp = nil }
        signal.ring()
    }

    /// Takes nothing more.
    package func beginClosing() {
        isRunning = false
        signal.remove()
        lastTimer.map { loop.cancel($0) }
    }

    /// Waits for the mails under way and for PostgreSQL to know what was sent, but not beyond `deadline`: another copy takes those
    /// again after their lease.
    package func close(by deadline: Instant) async {
        beginClosing()
        while isWorking, Instant.now() < deadline { await loop.sleep(for: .milliseconds(10)) }
        while (try? await record()) == nil, Instant.now() < deadline { await loop.sleep(for: .milliseconds(100)) }
    }

    /// Goes through everything that is due.
    package func work() async {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        do throws(PostgresError) {
            try await record()
            try await send()
            try await keepUp()
            noteThere()
        } catch {
            // What was taken comes back with the end of its lease.
            noteAway(error)
        }
    }

    private func send() async throws(PostgresError) {
        while mayTake, let client, let composer {
            let mails = try await queue.claim(policy.connections, at: system.statementTime, for: policy.lease)
            let handedOver = await MailHandOver(client: client, composer: composer)(mails)
            // First of all what must not be sent again.
            for (mail, failure) in handedOver where failure == nil {
                noteAnswer()
                outcomes.count(.sent, mail)
                unrecorded.append(mail.id)
            }
            try await record()
            var trouble: MailFailure.Trouble?
            for case (let mail, let failure?) in handedOver {
                if failure.isAnswer { noteAnswer() }
                trouble = try await outcomes.settle(mail, failure) ?? trouble
            }
            if let trouble { return note(trouble) }
            guard mails.count == policy.connections else { return }
        }
    }

    private var mayTake: Bool {
        let now = system.now()
        guard isRunning, !server.rests(at: now) else { return false }
        return switch store {
        case .there: true
        case .away: false
        case .back(let rest): !rest.holds(at: now)
        }
    }

    private func keepUp() async throws(PostgresError) {
        let now = system.now()
        if swept?.holds(at: now) != true {
            try await upkeep.sweep()
            swept = Rest(since: now, length: MailUpkeep.period)
        }
        try await upkeep.count()
    }

    private func noteThere() {
        if case .away = store { store = .back(Rest(since: system.now(), length: policy.settling)) }
    }

    private func noteAway(_ error: PostgresError) {
        if case .away = store { return }
        store = .away
        logger.warning("the outbox cannot be read: mail waits", ["error": "\(error)"])
    }

    /// Tells PostgreSQL of what was sent.
    private func record() async throws(PostgresError) {
        while let id = unrecorded.first {
            try await queue.finish(id, at: system.statementTime)
            unrecorded.removeAll { $0 == id }
        }
    }

    private func noteAnswer() {
        if server.answered() { logger.info("the mail server takes mail again") }
        metrics.countMails { $0.isServerUp = true }
    }

    private func note(_ trouble: MailFailure.Trouble) {
        let chance = system.random(1).first ?? 0
        metrics.countMails { $0.isServerUp = false }
        guard server.failed(trouble, at: system.now(), chance: chance) else { return }
        logger.error(
            "the mail server takes no mail from us: all mail waits",
            ["trouble": .string(trouble.name), "detail": .string(trouble.detail)])
    }
}
