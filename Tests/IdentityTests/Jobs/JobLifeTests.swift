import Testing
import Text

@testable import Identity

/// The life of a job, as a script without a store.
@Suite struct JobLifeTests {
    private static let start = Sample.now
    private static let lease = Duration.seconds(60)

    private func at(_ seconds: Int) -> Timestamp { Self.start.adding(.seconds(seconds)) }

    @Test func `a job is claimed once it is due, by one at a time`() {
        var job = JobLife(dueAt: at(10), givesUpAt: nil)
        #expect(job.claim(at: at(9), for: Self.lease) == nil)
        #expect(job.claim(at: at(10), for: Self.lease) == 1)
        #expect(job.claim(at: at(69), for: Self.lease) == nil)
        #expect(job.claim(at: at(70), for: Self.lease) == 2)
        #expect(job.attempts == 2 && job.state == .claimed(until: at(130)))
    }

    @Test func `who has an earlier turn decides nothing any more, but what is done is done`() throws {
        var job = JobLife(dueAt: at(0), givesUpAt: nil)
        let claim1 = job.claim(at: at(0), for: Self.lease)
        let first = try #require(claim1)
        let claim2 = job.claim(at: at(60), for: Self.lease)
        let second = try #require(claim2)
        let claimed = job
        job.postpone(first, at: at(61), by: .seconds(1))
        job.giveBack(first, at: at(61))
        job.giveUp(first, at: at(61))
        #expect(job == claimed)
        job.finish(at: at(62))
        #expect(job.state == .finished(at: at(62)))
        job.giveUp(second, at: at(63))
        job.finish(at: at(64))
        #expect(job.state == .finished(at: at(62)))
    }

    @Test func `whoever had a lease that is over decides as long as nobody else has a turn`() throws {
        var job = JobLife(dueAt: at(0), givesUpAt: nil)
        let claim3 = job.claim(at: at(0), for: Self.lease)
        let turn = try #require(claim3)
        job.postpone(turn, at: at(90), by: .seconds(30))
        #expect(job.state == .waiting && job.dueAt == at(120) && job.attempts == 1)
    }

    @Test func `what was given back has cost no attempt, and its turn does not come again`() throws {
        var job = JobLife(dueAt: at(0), givesUpAt: nil)
        let claim4 = job.claim(at: at(0), for: Self.lease)
        let first = try #require(claim4)
        job.giveBack(first, at: at(1))
        #expect(job.attempts == 0 && job.dueAt == at(1))
        let claim5 = job.claim(at: at(1), for: Self.lease)
        let second = try #require(claim5)
        #expect(second != first && job.attempts == 1)
        let claimed = job
        job.postpone(first, at: at(2), by: .zero)
        #expect(job == claimed)
    }

    @Test func `its time ends it, whoever has it, and a finish still counts`() throws {
        var job = JobLife(dueAt: at(0), givesUpAt: at(30))
        let claim6 = job.claim(at: at(29), for: Self.lease)
        let turn = try #require(claim6)
        job.expire(at: at(29))
        #expect(!job.isOver)
        job.expire(at: at(30))
        #expect(job.state == .givenUp(at: at(30)))
        job.postpone(turn, at: at(31), by: .zero)
        #expect(job.isOver)
        job.finish(at: at(31))
        #expect(job.state == .finished(at: at(31)))
        var late = JobLife(dueAt: at(0), givesUpAt: at(30))
        #expect(late.claim(at: at(30), for: Self.lease) == nil)
    }

    @Test func `pauses grow by their factor up to the longest, and half of each is chance`() {
        let mail = JobBackOff(first: .seconds(30), longest: .seconds(900))
        let pauses = (1...8).map { mail.pause(afterAttempts: $0, chance: 255) }
        #expect(pauses == [30, 60, 120, 240, 480, 900, 900, 900].map { .seconds($0) })
        for attempts in 1...8 { #expect(mail.pause(afterAttempts: attempts, chance: 0) == pauses[attempts - 1] / 2) }
        #expect(mail.pause(afterAttempts: .max, chance: 255) == .seconds(900))
        #expect(mail.pause(afterAttempts: 0, chance: 255) == .seconds(30))
        #expect(JobBackOff(first: .seconds(30), longest: .seconds(1)).pause(afterAttempts: 1, chance: 255) == .seconds(1))
        let revocation = ProviderRevocations.policy.backOff
        let longer = (1...11).map { revocation.pause(afterAttempts: $0, chance: 255) }
        #expect(longer == [10, 30, 90, 270, 810, 2430, 7290, 21600, 21600, 21600, 21600].map { .seconds($0) })
        let total = longer.reduce(.zero, +)
        #expect(total > .seconds(24 * 3600) && total < .seconds(48 * 3600))
    }

    @Test func `places are bounded by kind and in all`() {
        var slots = JobSlots(limit: 5)
        #expect(slots.take(.mail, atMost: 3) == 3)
        #expect(slots.take(.mail, atMost: 3) == 0)
        #expect(slots.take(.sessionEnding, atMost: 4) == 2)
        #expect(slots.take(.providerRevocation, atMost: 2) == 0)
        slots.give(3, of: .mail)
        #expect(slots.take(.providerRevocation, atMost: 2) == 2)
        #expect(slots.take(.mail, atMost: 3) == 1)
        #expect(slots.taken == 5)
    }
}
