import Crypto
import Logging
import Networking
import Outbound
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

/// Mails of a test's, and who sends them.
extension World {
    static let link = "https://id.example/account/password?code=SECRETcode"

    /// What sends mails on a copy's loop.
    func delivery(
        _ copy: Copy, _ server: TestSMTPServer?, masterKey: MasterKey? = nil, login: String? = nil,
        security: SMTPConfiguration.Security = .none, timeout: Duration = .seconds(60), signal: JobSignal = JobSignal(),
        pollInterval: Duration = .seconds(5), _ change: (inout MailDelivery.Policy) -> Void = { _ in }
    ) throws -> JobRunner {
        var policy = MailDelivery.Policy()
        policy.timeout = timeout
        change(&policy)
        let client = server.map { server in
            SMTPClient(
                SMTPConfiguration(
                    host: "127.0.0.1", port: server.port, security: security, username: login,
                    password: SecretString(login == nil ? "" : "wrong"), greetingName: "id.example",
                    connectTimeout: .seconds(60), timeout: timeout))
        }
        let sender = try #require(MailSender("Kidoban <no-reply@id.example>"))
        let parts = copy.parts
        let handler = MailDelivery(
            seal: try MailSeal(masterKey ?? self.masterKey), client: client,
            composer: MailComposer(sender: sender, templates: .builtIn), policy: policy, audit: parts.audit,
            metrics: parts.metrics, system: copy.system, signal: signal, loop: copy.loop, logger: logger)
        var running = JobRunner.Policy()
        running.pollInterval = pollInterval
        return JobRunner(
            queue: parts.jobs, handlers: [handler], policy: running, metrics: parts.metrics, system: copy.system, signal: signal,
            loop: copy.loop, logger: logger)
    }

    /// Mails for one new user, at other addresses of the mail server's.
    func put(
        _ count: Int, on copy: Copy? = nil, kind: Mail.Kind = .passwordReset, language: Mail.Language = .english,
        life: Duration = .seconds(3600), recipient: String = "mei"
    ) async throws {
        let copy = copy ?? a
        let id = try await copy.signUp("\(recipient)-owner@example.com").id
        let now = copy.system.now()
        for index in 0..<count {
            let mail = Mail(
                id: UUID(version7At: now, random: SecureRandom.bytes(10)), userID: id, kind: kind,
                recipient: "\(recipient)\(index)@example.com", language: language, link: SecretString(Self.link), createdAt: now,
                expiresAt: now.adding(life))
            let time = copy.system.statementTime
            try await copy.run { parts in try await parts.outbox.add(mail, at: time) }
        }
    }

    /// What waits, due or not.
    func waitingMails() async throws -> [StoredMail] {
        let time = a.system.statementTime
        return try await a.run { parts in try await parts.outbox.waiting(1000, at: time) }
    }
}

extension Copy {
    /// What became of mails that this copy has tried.
    func mailOutcomes() async -> [JobCounters.Outcome: UInt64] {
        await jobOutcomes(.mail)
    }

    /// What became of jobs of a kind that this copy has tried.
    func jobOutcomes(_ kind: JobKind) async -> [JobCounters.Outcome: UInt64] {
        let outcomes = await run { $0.metrics.snapshot.jobs.outcomes }.filter { $0.key.kind == kind }
        return Dictionary(outcomes.map { ($0.key.outcome, $0.value) }, uniquingKeysWith: +)
    }

    /// What there is of a kind, as this copy has counted it last.
    func jobCount(_ kind: JobKind) async -> JobCounters.Count {
        await run { $0.metrics.snapshot.jobs.counts[kind] } ?? JobCounters.Count()
    }
}
