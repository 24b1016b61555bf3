import Logging
import Postgres
import Text

/// Stores what came of jobs: in PostgreSQL, in the log, in the metrics.
struct JobRecords: Sendable {
    let queue: JobQueue
    let metrics: IdentityMetrics
    let system: SystemContext
    let logger: Logger

    func finish(_ job: Job, _ handler: any JobHandler) async throws(PostgresError) {
        try await queue.finish(job.id, isKept: handler.policy.keepsFinished > .zero, at: system.statementTime)
        metrics.countJobs { $0.count(.done, handler.kind, job.topic) }
    }

    /// Everything but `done`, for which there is `finish`.
    func settle(_ job: Job, _ outcome: JobOutcome, _ handler: any JobHandler) async throws(PostgresError) {
        let policy = handler.policy
        switch outcome {
        case .done: break
        case .again(let pause): try await queue.postpone(job, by: pause, because: nil, at: system.statementTime)
        case .untried(let reason): try await queue.giveBack(job, because: reason, at: system.statementTime)
        case .hopeless(let reason): try await giveUp(job, handler, reason)
        case .failed(let reason):
            if let most = policy.maximumAttempts, job.attempts >= most { return try await giveUp(job, handler, reason) }
            metrics.countJobs { $0.count(.failed, handler.kind, job.topic) }
            logger.info("a job has failed and will be tried again", fields(job, handler.kind, reason))
            let pause = policy.backOff.pause(afterAttempts: job.attempts, chance: system.random(1).first ?? 0)
            try await queue.postpone(job, by: pause, because: reason, at: system.statementTime)
        }
    }

    private func giveUp(_ job: Job, _ handler: any JobHandler, _ reason: String) async throws(PostgresError) {
        guard
            try await queue.giveUp(
                job, because: reason, keepingSecret: handler.policy.keepsSecretGivenUp, at: system.statementTime)
        else { return }
        metrics.countJobs { $0.count(.givenUp, handler.kind, job.topic) }
        logger.warning("a job was given up and will not be tried again", fields(job, handler.kind, reason))
        await handler.didGiveUp(job, because: reason)
    }

    private func fields(_ job: Job, _ kind: JobKind, _ reason: String) -> LogFields {
        [
            "job": .string(job.id.description), "kind": .string(kind.rawValue), "topic": .string(job.topic),
            "attempts": .integer(job.attempts), "failure": .string(reason),
        ]
    }
}
