import Logging
import TestSupport
import Text

@testable import Identity

/// Carries out jobs as a test says.
final class ScriptedHandler: JobHandler {
    let kind: JobKind
    let policy: JobPolicy
    /// Topics that were carried out, in order.
    let attempts = Locked<[String]>([])
    let ends = Locked<[String]>([])
    private let perform: @Sendable (Job) async -> JobOutcome

    init(
        _ kind: JobKind = .backchannelLogout, policy change: (inout JobPolicy) -> Void = { _ in },
        _ perform: @escaping @Sendable (Job) async -> JobOutcome
    ) {
        self.kind = kind
        var policy = JobPolicy(lease: .seconds(60), backOff: JobBackOff(first: .seconds(10), longest: .seconds(100)))
        change(&policy)
        self.policy = policy
        self.perform = perform
    }

    func carryOut(_ job: Job) async -> JobOutcome {
        attempts.withLock { $0.append(job.topic) }
        return await perform(job)
    }

    func didFinish(_ job: Job) async {
        ends.withLock { $0.append("finished \(job.topic)") }
    }

    func didGiveUp(_ job: Job, because reason: String) async {
        ends.withLock { $0.append("given up \(job.topic): \(reason)") }
    }
}

/// What holds a handler up until a test lets it go on.
actor JobGate {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    var waitingCount: Int { waiting.count }

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

extension Copy {
    nonisolated func runner(
        _ handlers: [any JobHandler], signal: JobSignal = JobSignal(), policy: JobRunner.Policy = JobRunner.Policy()
    ) -> JobRunner {
        JobRunner(
            queue: JobQueue(pool: parts.postgres, signal: signal), handlers: handlers, policy: policy, metrics: parts.metrics,
            system: system, signal: signal, loop: loop, logger: .disabled)
    }

    /// Enters jobs of the kind that tests carry out.
    func enter(
        _ topics: [String], _ kind: JobKind = .backchannelLogout, userID: UserID? = nil, life: Duration? = nil
    ) async throws {
        let (system, time) = (system, system.statementTime)
        try await run { parts in
            for topic in topics {
                let job = NewJob(
                    id: system.uuid(), kind, topic: topic, userID: userID,
                    payload: JSONObject([JSONObject.Member(key: "topic", value: .string(topic))]), sealed: [1, 2],
                    life: life)
                try await parts.jobs.enter(job, at: time)
            }
        }
    }
}
