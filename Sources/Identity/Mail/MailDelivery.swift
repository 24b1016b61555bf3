package import Logging
package import Networking
package import Outbound
import Text

/// Hands mails over to the mail server, and knows whether it takes any. It is the handler of jobs of mail.
///
/// Each mail is handed over at least once. A copy that dies between the mail server's yes and its own note of it leaves the mail to another
/// one after the lease; the two have the same `Message-ID`.
package actor MailDelivery: JobHandler {
    /// How mail is sent, in numbers.
    package struct Policy: Sendable {
        /// Mails under way at once.
        package var connections = 2
        /// How long handing over may take at most; what `SMTPConfiguration` says.
        package var timeout: Duration = .seconds(60)
        /// Between two attempts.
        package var longestPause: Duration = .seconds(15 * 60)
        /// How long to remember that there was a mail; at least `MailOutbox.window`.
        package var retention: Duration = .seconds(7 * 86_400)

        package static let firstPause: Duration = .seconds(30)

        package init() {}

        /// The same for the runner.
        package var jobs: JobPolicy {
            var jobs = JobPolicy(
                lease: timeout + .seconds(60), backOff: JobBackOff(first: Self.firstPause, longest: longestPause))
            jobs.parallelism = connections
            jobs.keepsFinished = max(retention, MailOutbox.window)
            jobs.keepsGivenUp = jobs.keepsFinished
            jobs.avoidsRepetition = true
            return jobs
        }
    }

    /// How long a mail server that does not answer is left alone at most.
    package static var longestRest: Duration { MailServerState.backOff.longest }

    package nonisolated let kind = JobKind.mail
    package nonisolated let policy: JobPolicy
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let seal: MailSeal
    private var client: SMTPClient?
    private var composer: MailComposer?
    private let audit: AuditLog
    private let metrics: IdentityMetrics
    private let system: SystemContext
    private let signal: JobSignal
    private let logger: Logger
    private var server = MailServerState()

    /// - Parameters:
    ///   - client: nil where no mail is sent; it waits then.
    ///   - composer: nil as well.
    package init(
        seal: MailSeal, client: SMTPClient?, composer: MailComposer?, policy: Policy, audit: AuditLog, metrics: IdentityMetrics,
        system: SystemContext, signal: JobSignal, loop: EventLoop, logger: Logger
    ) {
        self.seal = seal
        self.client = client
        self.composer = composer
        self.policy = policy.jobs
        self.audit = audit
        self.metrics = metrics
        self.system = system
        self.signal = signal
        self.loop = loop
        self.logger = logger
    }

    /// Hands mail over to another server, from another address or in other texts, from the next mail on. What is under way goes where it
    /// was to go.
    package func use(_ client: SMTPClient?, _ composer: MailComposer?) {
        self.composer = composer
        guard client !== self.client else { return }
        self.client = client
        // Nothing is known of this one, and so it need not rest.
        server = MailServerState()
        metrics.isMailServerUp = nil
        signal.ring(.mail)
    }

    package func readiness() -> JobReadiness {
        guard client != nil, composer != nil, !server.rests(at: system.now()) else { return .nothing }
        // What another version has entered is left to it.
        return .topics(Mail.Kind.allCases.map(\.rawValue))
    }

    package func carryOut(_ job: Job) async -> JobOutcome {
        guard let client, let composer else { return .untried("no mail server") }
        let failure = await Self.failure(StoredMail(job, seal).mail, client, composer)
        guard let failure else {
            noteAnswer()
            return .done
        }
        if failure.isAnswer { noteAnswer() }
        switch failure {
        case .refused, .unwritable: return .hopeless(failure.text)
        case .deferred, .busy, .unreadable: return .failed(failure.text)
        case .unreachable(let trouble):
            note(trouble)
            return .failed(failure.text)
        case .halted(let trouble):
            note(trouble)
            return .untried(failure.text)
        }
    }

    package func didGiveUp(_ job: Job, because reason: String) async {
        var detail = JSONObject()
        detail["mail"] = .string(job.id.description)
        detail["mail_kind"] = .string(job.topic)
        detail["failure"] = .string(reason)
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: .mailGivenUp, actor: .system, userID: job.userID, detail: detail))
    }

    private static func failure(_ mail: Mail?, _ client: SMTPClient, _ composer: MailComposer) async -> MailFailure? {
        guard let mail else { return .unreadable }
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

    private func noteAnswer() {
        if server.answered() { logger.info("the mail server takes mail again") }
        metrics.isMailServerUp = true
    }

    private func note(_ trouble: MailFailure.Trouble) {
        let now = system.now()
        metrics.isMailServerUp = false
        // Mails that were handed over at once have met the same trouble: it counts once.
        guard !server.rests(at: now) else { return }
        guard server.failed(trouble, at: now, chance: system.random(1).first ?? 0) else { return }
        logger.error(
            "the mail server takes no mail from us: all mail waits",
            ["trouble": .string(trouble.name), "detail": .string(trouble.detail)])
    }
}
