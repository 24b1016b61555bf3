import Logging
import Postgres
import Text

/// Puts on record what became of mails that were to be handed over: in the outbox, in the log, in the metrics and, where a mail is given
/// up, in the audit log.
struct MailOutcomes: Sendable {
    let queue: MailQueue
    let longestPause: Duration
    let audit: AuditLog
    let metrics: IdentityMetrics
    let system: SystemContext
    let logger: Logger

    func count(_ outcome: MailCounters.Outcome, _ mail: StoredMail) {
        guard let kind = Mail.Kind(rawValue: mail.kind) else { return }
        metrics.countMails { $0.count(outcome, of: kind) }
    }

    /// Records why a mail was not sent. Returns what is wrong with the mail server, if that was it.
    func settle(_ mail: StoredMail, _ failure: MailFailure) async throws(PostgresError) -> MailFailure.Trouble? {
        switch failure {
        case .refused, .unwritable: try await giveUp(mail, failure)
        case .deferred, .busy: try await postpone(mail, .deferred, failure)
        case .unreadable, .expired: try await postpone(mail, .unreadable, failure)
        case .unreachable(let trouble):
            try await postpone(mail, .deferred, failure)
            return trouble
        case .halted(let trouble):
            try await queue.giveBack(mail, at: system.statementTime, because: failure.text)
            return trouble
        }
        return nil
    }

    private func postpone(
        _ mail: StoredMail, _ outcome: MailCounters.Outcome, _ failure: MailFailure
    ) async throws(PostgresError) {
        count(outcome, mail)
        let chance = system.random(1).first ?? 0
        let pause = MailSchedule.pause(afterAttempts: mail.attempts, longest: longestPause, chance: chance)
        logger.info("a mail could not be sent yet", fields(mail, failure))
        try await queue.postpone(mail, at: system.statementTime, by: pause, because: failure.text)
    }

    private func giveUp(_ mail: StoredMail, _ failure: MailFailure) async throws(PostgresError) {
        count(.refused, mail)
        logger.warning("a mail was refused, and will not be tried again", fields(mail, failure))
        try await queue.giveUp(mail, at: system.statementTime, because: failure.text)
        var detail = JSONObject()
        detail["mail"] = .string(mail.id.description)
        detail["mail_kind"] = .string(mail.kind)
        detail["failure"] = .string(failure.text)
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: .mailGivenUp, actor: .system, userID: mail.mail?.userID,
                detail: detail))
    }

    /// Neither the recipient nor the link.
    private func fields(_ mail: StoredMail, _ failure: MailFailure) -> LogFields {
        [
            "mail": .string(mail.id.description), "kind": .string(mail.kind), "attempts": .integer(mail.attempts),
            "failure": .string(failure.text),
        ]
    }
}
