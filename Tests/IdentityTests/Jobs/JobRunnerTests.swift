import Logging
import Networking
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Jobs from PostgreSQL to their handlers, also when copies die or are too slow.
    @Suite struct JobRunnerTests {
        private static let rows = Statement(name: "test_job_rows", sql: "SELECT count(*) FROM jobs")
        private static let sealed = Statement(name: "test_job_sealed", sql: "SELECT count(sealed) FROM jobs")

        private func count(_ statement: Statement, _ copy: Copy) async throws -> Int64 {
            try await copy.run { try await $0.postgres.query(statement)[0].int64(0) }
        }

        @Test func `a job is entered with what causes it, or not at all`() async throws {
            try await World.run { world in
                let (system, time) = (world.a.system, world.a.system.statementTime)
                await #expect(throws: IdentityError.invalidCode) {
                    try await world.a.run { parts in
                        try await parts.postgres.transaction { transaction throws(IdentityError) in
                            let job = NewJob(id: system.uuid(), .backchannelLogout, payload: JSONObject(), life: nil)
                            try await parts.jobs.enter(job, in: transaction, at: time)
                            throw IdentityError.invalidCode
                        }
                    }
                }
                let rows = try await count(Self.rows, world.a)
                #expect(rows == 0)
            }
        }

        @Test func `a job is done once, and nothing of it stays`() async throws {
            try await World.run { world in
                try await world.a.enter(["one", "two", "three"])
                let handler = ScriptedHandler { _ in .done }
                let runner = world.a.runner([handler])
                await runner.work()
                await runner.work()
                #expect(handler.attempts.value.sorted() == ["one", "three", "two"])
                #expect(handler.ends.value.count == 3)
                #expect(try await count(Self.rows, world.a) == 0)
                #expect(await world.a.jobOutcomes(.backchannelLogout) == [.done: 3])
            }
        }

        @Test func `what fails comes back after its pause, and is given up after its attempts`() async throws {
            try await World.run { world in
                try await world.a.enter(["x"])
                let handler = ScriptedHandler(policy: { $0.maximumAttempts = 3 }) { _ in .failed("no") }
                let runner = world.a.runner([handler])
                await runner.work()
                world.clock.advance(by: .milliseconds(4999))
                await runner.work()
                #expect(handler.attempts.value.count == 1)
                for _ in 0..<4 {
                    world.clock.advance(by: .seconds(100))
                    await runner.work()
                }
                #expect(handler.attempts.value.count == 3 && handler.ends.value == ["given up x: no"])
                #expect(await world.a.jobOutcomes(.backchannelLogout) == [.failed: 2, .givenUp: 1])
                #expect(await world.a.jobCount(.backchannelLogout).givenUp == 1)
                #expect(try await count(Self.sealed, world.a) == 0)
                world.clock.advance(by: handler.policy.keepsGivenUp)
                await runner.work()
                #expect(try await count(Self.rows, world.a) == 0)
            }
        }

        @Test func `what is hopeless is given up at once, and what was not tried costs no attempt`() async throws {
            try await World.run { world in
                try await world.a.enter(["hopeless", "untried"])
                let tries = Locked(0)
                let handler = ScriptedHandler(policy: { $0.maximumAttempts = 1 }) { job in
                    if job.topic == "hopeless" { return .hopeless("never") }
                    let number = tries.withLock { count in
                        count += 1
                        return count
                    }
                    return number < 4 ? .untried("no server") : .done
                }
                let runner = world.a.runner([handler])
                for _ in 1...4 { await runner.work() }
                #expect(Set(handler.ends.value) == ["given up hopeless: never", "finished untried"])
            }
        }

        @Test func `what is not done in time is given up`() async throws {
            try await World.run { world in
                try await world.a.enter(["late"], life: .seconds(30))
                let handler = ScriptedHandler { _ in .failed("no") }
                let runner = world.a.runner([handler])
                await runner.work()
                world.clock.advance(by: .seconds(60))
                await runner.work()
                #expect(await world.a.jobOutcomes(.backchannelLogout) == [.failed: 1, .expired: 1])
                #expect(await world.a.jobCount(.backchannelLogout).waiting == 0)
            }
        }

        @Test func `a job goes with its user, and there is none for a user who is not there`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.enter(["his"], userID: member.id)
                try await world.a.enter(["nobody's"], userID: Sample.userID)
                #expect(try await count(Self.rows, world.a) == 1)
                try await world.a.parts.accounts.delete(member.id, caller: Copy.caller)
                let left = try await world.a.run { try await $0.jobs.waiting(9, of: .backchannelLogout, at: .postgres) }
                #expect(left.isEmpty)
            }
        }

        @Test func `a job whose process is killed between claim and finish is another's after the lease`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                try await world.a.enter(["x"])
                let gate = JobGate()
                let stuck = ScriptedHandler { _ in
                    await gate.pass()
                    return .done
                }
                let runner1 = world.a.runner([stuck])
                let working = Task(executorPreference: world.a.loop) { await runner1.work() }
                try await eventually { await gate.waitingCount == 1 }
                // The first copy says nothing of it any more.
                await world.a.parts.postgres.close()
                let handler = ScriptedHandler { _ in .done }
                let runner = world.b.runner([handler])
                await runner.work()
                world.clock.advance(by: stuck.policy.lease - .milliseconds(1))
                await runner.work()
                #expect(handler.attempts.value.isEmpty)
                world.clock.advance(by: .milliseconds(1))
                await runner.work()
                #expect(handler.attempts.value == ["x"])
                #expect(try await count(Self.rows, world.b) == 0)
                await gate.open()
                await working.value
            }
        }

        @Test(arguments: [JobOutcome.done, .failed("slow"), .hopeless("slow"), .untried("slow")])
        func `who is still at it when the lease is over only counts with what is done`(outcome: JobOutcome) async throws {
            try await World.run({ $0.copies = 2 }) { world in
                try await world.a.enter(["x"])
                let (slow, other) = (JobGate(), JobGate())
                let first = ScriptedHandler(policy: { $0.keepsFinished = .seconds(60) }) { _ in
                    await slow.pass()
                    return outcome
                }
                let second = ScriptedHandler(policy: { $0.keepsFinished = .seconds(60) }) { _ in
                    await other.pass()
                    return .failed("tried")
                }
                let runner2 = world.a.runner([first])
                let a = Task(executorPreference: world.a.loop) { await runner2.work() }
                try await eventually { await slow.waitingCount == 1 }
                world.clock.advance(by: first.policy.lease)
                let runner3 = world.b.runner([second])
                let b = Task(executorPreference: world.b.loop) { await runner3.work() }
                try await eventually { await other.waitingCount == 1 }
                // No third one while the second has it, whatever the first says.
                await slow.open()
                await a.value
                let third = ScriptedHandler { _ in .done }
                await world.a.runner([third]).work()
                #expect(third.attempts.value.isEmpty)
                await other.open()
                await b.value
                let time = world.a.system.statementTime
                let left = try await world.a.run { try await $0.jobs.waiting(9, of: .backchannelLogout, at: time) }
                #expect(left.map(\.attempts) == (outcome == .done ? [] : [2]))
                #expect(first.ends.value == (outcome == .done ? ["finished x"] : []))
            }
        }

        @Test func `the signal has a job begun at once, and the end waits for what is under way`() async throws {
            try await World.run { world in
                let signal = JobSignal()
                var policy = JobRunner.Policy()
                policy.pollInterval = .seconds(3600)
                let gate = JobGate()
                let handler = ScriptedHandler { _ in
                    await gate.pass()
                    return .done
                }
                let runner = world.a.runner([handler], signal: signal, policy: policy)
                let running = Task(executorPreference: world.a.loop) { await runner.run() }
                try await world.a.enter(["x"])
                signal.ring(.backchannelLogout)
                try await eventually { await gate.waitingCount == 1 }
                let closing = Task(executorPreference: world.a.loop) { await runner.close(by: Instant.now() + .seconds(60)) }
                try await world.a.enter(["after"])
                signal.ring(.backchannelLogout)
                await gate.open()
                await closing.value
                await running.value
                #expect(handler.attempts.value == ["x"] && handler.ends.value == ["finished x"])
            }
        }

        @Test func `a kind that hangs keeps no other waiting`() async throws {
            try await World.run { world in
                let gate = JobGate()
                let slow = ScriptedHandler(.sessionEnding) { _ in
                    await gate.pass()
                    return .done
                }
                let quick = ScriptedHandler { _ in .done }
                try await world.a.enter(["slow"], .sessionEnding)
                try await world.a.enter((0..<9).map { "\($0)" })
                let runner4 = world.a.runner([slow, quick])
                let working = Task(executorPreference: world.a.loop) { await runner4.work() }
                try await eventually { quick.ends.value.count == 9 }
                #expect(slow.ends.value.isEmpty)
                await gate.open()
                await working.value
            }
        }

        /// Random scripts, in PostgreSQL and in the value.
        @Test(arguments: 0..<12) func `PostgreSQL does what the value says`(seed: UInt64) async throws {
            try await World.run { world in
                var random = SplitMix(seed)
                let (system, queue) = (world.a.system, world.a.parts.jobs)
                var now = Sample.now
                let life: Duration? = seed.isMultiple(of: 3) ? nil : .seconds(300)
                let id = system.uuid()
                let new = NewJob(
                    id: id, .backchannelLogout, payload: JSONObject(), delay: .seconds(5), life: life)
                try await queue.enter(new, at: .given(now))
                var value = JobLife(dueAt: now.adding(.seconds(5)), givesUpAt: life.map { now.adding($0) })
                var claims: [Job] = []
                for step in 0..<60 {
                    now = now.adding(.seconds(Int(random.next() % 20)))
                    let time = StatementTime.given(now)
                    let claim = claims.isEmpty ? nil : claims[Int(random.next() % UInt64(claims.count))]
                    switch (random.next() % 12, claim) {
                    case (0...4, _), (_, nil):
                        let taken = try await queue.claim(1, of: .backchannelLogout, at: time, for: .seconds(30)).first
                        #expect(taken?.turn == value.claim(at: now, for: .seconds(30)), "step \(step)")
                        if let taken { claims.append(taken) }
                    case (5...6, let claim?):
                        try await queue.postpone(claim, by: .seconds(10), because: "x", at: time)
                        value.postpone(claim.turn, at: now, by: .seconds(10))
                    case (7...8, let claim?):
                        try await queue.giveBack(claim, because: "x", at: time)
                        value.giveBack(claim.turn, at: now)
                    case (9, let claim?) where step > 30:
                        _ = try await queue.giveUp(claim, because: "x", keepingSecret: false, at: time)
                        value.giveUp(claim.turn, at: now)
                    case (10, _) where step > 45:
                        try await queue.finish(id, isKept: true, at: time)
                        value.finish(at: now)
                    default:
                        _ = try await queue.expire(keepingSecretsOf: [], at: time)
                        value.expire(at: now)
                    }
                    #expect(try await state(of: id, world.a, at: now) == value.summary(at: now), "step \(step)")
                }
            }
        }

        private static let state = Statement(
            name: "test_job_state",
            sql: """
                SELECT attempts, turn, (extract(epoch FROM due_at) * 1000)::bigint, done_at IS NOT NULL, given_up_at IS NOT NULL,
                    leased_until IS NOT NULL
                FROM jobs WHERE id = $1::uuid
                """)

        private func state(of id: UUID, _ copy: Copy, at now: Timestamp) async throws -> [Int64] {
            let row = try #require(try await copy.parts.postgres.query(Self.state, [.uuid(id.description)]).first)
            return [
                try row.int64(0), try row.int64(1), try row.int64(2), try row.bool(3) ? 1 : 0, try row.bool(4) ? 1 : 0,
                try row.bool(5) ? 1 : 0,
            ]
        }
    }
}

extension JobLife {
    fileprivate func summary(at now: Timestamp) -> [Int64] {
        let flags: [Int64] =
            switch state {
            case .waiting: [0, 0, 0]
            case .claimed: [0, 0, 1]
            case .finished: [1, 0, 0]
            case .givenUp: [0, 1, 0]
            }
        return [Int64(attempts), turn, dueAt.milliseconds] + flags
    }
}

/// Numbers that look random and are the same each time.
private struct SplitMix {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed &+ 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
