import Networking
import Testing

@testable import Identity

@Suite struct KeySetScheduleTests {
    private static let hour: Duration = .seconds(3600)
    private let start = Instant(nanoseconds: 1_000_000_000_000)
    private let policy = KeySetPolicy()

    /// One that has fetched keys at `start`.
    private func filled(_ freshness: Duration? = nil, chance: Double = 0) -> KeySetSchedule {
        var schedule = KeySetSchedule(policy, at: start)
        schedule.begin(.due, at: start)
        schedule.succeeded(freshness: freshness, at: start, chance: chance)
        return schedule
    }

    private func after(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    @Test func `the first fetch is due at once`() {
        var schedule = KeySetSchedule(policy, at: start)
        #expect(schedule.isDue(at: start))
        #expect(!schedule.isUsable(at: start))
        schedule.begin(.due, at: start)
        #expect(!schedule.isDue(at: after(100)))
    }

    @Test(
        arguments: [
            (nil, 3600), (.zero, 900), (.seconds(899), 900), (.seconds(900), 900), (.seconds(901), 901), (.seconds(19204), 19204),
            (.seconds(86_400), 86_400), (.seconds(86_401), 86_400), (.seconds(1 << 31), 86_400),
        ] as [(Duration?, Int)])
    func `keys live as long as their server says, between a quarter of an hour and a day, and a day more when it is away`(
        freshness: Duration?, lifetime: Int
    ) {
        let schedule = filled(freshness)
        #expect(schedule.usableUntil == after(lifetime + 86_400))
        #expect(schedule.isUsable(at: after(lifetime + 86_399)))
        #expect(!schedule.isUsable(at: after(lifetime + 86_400)))
        #expect(!schedule.isDue(at: after(lifetime * 8 / 10 - 1)))
        #expect(schedule.isDue(at: after(lifetime * 8 / 10 + 1)))
        let latest = filled(freshness, chance: 1)
        #expect(!latest.isDue(at: after(lifetime * 9 / 10 - 1)))
        #expect(latest.isDue(at: after(lifetime * 9 / 10 + 1)))
    }

    @Test func `without keys the pauses between attempts grow from a second to a minute, half of each by chance`() {
        for (chance, part) in [(0.0, 0.5), (1.0, 1.0)] {
            var schedule = KeySetSchedule(policy, at: start)
            for pause in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
                schedule.begin(.due, at: start)
                schedule.failed(at: start, chance: chance)
                // A failure brings the next attempt forward, never back, so each is looked at by itself.
                schedule = schedule.failures == 1 ? schedule : repeated(schedule.failures, chance)
                #expect(schedule.dueAt == start + .milliseconds(Int(Double(pause * 1000) * part)))
            }
        }
    }

    /// One that has failed so often, each time when it was due.
    private func repeated(_ count: Int, _ chance: Double) -> KeySetSchedule {
        var schedule = KeySetSchedule(policy, at: Instant(nanoseconds: 0))
        for _ in 1..<count {
            schedule.begin(.due, at: schedule.dueAt)
            schedule.failed(at: schedule.dueAt, chance: 0)
        }
        precondition(schedule.dueAt < start)
        schedule.begin(.due, at: start)
        schedule.failed(at: start, chance: chance)
        return schedule
    }

    @Test func `with keys the pauses grow from a quarter of a minute to five minutes`() {
        var schedule = filled()
        var now = schedule.dueAt
        for pause in [15, 30, 60, 120, 240, 300, 300] {
            schedule.begin(.due, at: now)
            schedule.failed(at: now, chance: 1)
            #expect(schedule.dueAt == now + .seconds(pause))
            now = schedule.dueAt
        }
        #expect(schedule.isUsable(at: now))
        schedule.begin(.due, at: now)
        schedule.succeeded(freshness: nil, at: now, chance: 0)
        #expect(schedule.failures == 0)
        #expect(schedule.usableUntil == now + Self.hour + policy.staleLifetime)
    }

    /// A fetch because of a key that it does not bring.
    private func miss(_ keyID: String, _ schedule: inout KeySetSchedule, at second: Int) {
        #expect(schedule.verdict(on: keyID, at: after(second)) == .fetch)
        schedule.begin(.unknownKey(keyID), at: after(second))
        #expect(schedule.verdict(on: keyID, at: after(second)) == .wait)
        schedule.succeeded(freshness: nil, at: after(second), chance: 0)
    }

    @Test func `a key that a fetch has not brought is unknown for a minute, and causes no other`() {
        var schedule = filled()
        miss("made up", &schedule, at: 1)
        #expect(schedule.verdict(on: "made up", at: after(2)) == .unknown(until: after(61)))
        #expect(schedule.verdict(on: "made up", at: after(60)) == .unknown(until: after(61)))
        #expect(schedule.verdict(on: "made up", at: after(61)) == .fetch)
    }

    @Test func `a made-up key does not stand in the way of one that is new`() {
        var schedule = filled()
        for minute in 0..<10 {
            miss("made up \(minute)", &schedule, at: 60 * minute + 1)
            #expect(schedule.verdict(on: "new", at: after(60 * minute + 2)) == .fetch)
        }
        schedule.begin(.unknownKey("new"), at: after(700))
        schedule.succeeded(freshness: nil, at: after(700), chance: 0) { $0 == "new" }
        #expect(!schedule.absentKeys.contains { $0.keyID == "new" })
    }

    @Test func `beyond five at once there is a fetch a minute, and until then nobody says that a key is unknown`() {
        var schedule = filled()
        for number in 0..<5 { miss("made up \(number)", &schedule, at: 1) }
        #expect(schedule.verdict(on: "new", at: after(1)) == .unavailable(until: after(61)))
        #expect(schedule.verdict(on: "made up 3", at: after(1)) == .unknown(until: after(61)))
        #expect(schedule.verdict(on: "new", at: after(60)) == .unavailable(until: after(61)))
        #expect(schedule.verdict(on: "new", at: after(61)) == .fetch)
        miss("made up 6", &schedule, at: 61)
        #expect(schedule.verdict(on: "new", at: after(61)) == .unavailable(until: after(121)))
    }

    @Test func `of keys that are not there so many are remembered`() {
        var schedule = filled()
        for number in 0..<200 { miss("made up \(number)", &schedule, at: 60 * number + 1) }
        var bounded = KeySetPolicy()
        bounded.absentKeyLimit = 3
        bounded.refetchBurst = 100
        var few = KeySetSchedule(bounded, at: start)
        few.succeeded(freshness: nil, at: start, chance: 0)
        for number in 0..<10 { miss("made up \(number)", &few, at: 1) }
        #expect(schedule.absentKeys.count == 1)
        #expect(few.absentKeys.map(\.keyID) == ["made up 7", "made up 8", "made up 9"])
    }

    @Test func `a fetch that was due is nobody's because of a key`() {
        var schedule = filled()
        schedule.begin(.due, at: after(1))
        #expect(schedule.verdict(on: "new", at: after(1)) == .wait)
        schedule.succeeded(freshness: nil, at: after(2), chance: 0)
        #expect(schedule.absentKeys.isEmpty)
        #expect(schedule.verdict(on: "new", at: after(2)) == .fetch)
    }

    @Test func `after a failure nobody says that a key is unknown`() {
        var schedule = filled()
        miss("made up", &schedule, at: 5)
        schedule.begin(.unknownKey("new"), at: after(10))
        schedule.failed(at: after(15), chance: 1)
        #expect(schedule.verdict(on: "new", at: after(15)) == .unavailable(until: after(30)))
        #expect(schedule.verdict(on: "made up", at: after(15)) == .unavailable(until: after(30)))
        #expect(schedule.verdict(on: "new", at: after(30)) == .fetch)
    }

    @Test func `keys of an earlier process are used while there are none, for the rest of their time`() {
        func usable(_ age: Duration, _ lifetime: Duration = Self.hour, _ change: (inout KeySetPolicy) -> Void = { _ in })
            -> Duration?
        {
            var policy = policy
            change(&policy)
            var schedule = KeySetSchedule(policy, at: start)
            schedule.remember(fetched: age, ago: lifetime, at: start)
            #expect(schedule.isDue(at: start) && schedule.fetchedAt == nil)
            return schedule.usableUntil?.since(start)
        }
        #expect(usable(.zero) == Self.hour * 24)
        #expect(usable(Self.hour * 23) == Self.hour)
        #expect(usable(Self.hour * 24) == nil)
        #expect(usable(Self.hour * 30) == nil)
        #expect(usable(.seconds(-1)) == nil)
        // Never longer than keys that cannot be renewed, whatever is stored and configured.
        #expect(usable(Self.hour) { $0.rememberedLifetime = Self.hour * 100 } == Self.hour * 24)
        #expect(usable(Self.hour, Self.hour * 1000) { $0.rememberedLifetime = Self.hour * 1000 } == Self.hour * 47)
        #expect(usable(.zero) { $0.rememberedLifetime = .zero } == nil)
        // What was fetched here is better.
        var schedule = filled()
        let end = schedule.usableUntil
        schedule.remember(fetched: .zero, ago: Self.hour, at: after(1))
        #expect(schedule.usableUntil == end)
    }

    @Test func `a failure because of an unknown key leaves the keys and does not delay their renewal`() {
        var schedule = filled()
        let due = schedule.dueAt
        let now = due.advanced(byNanoseconds: 0)
        schedule.begin(.unknownKey("a"), at: start)
        schedule.failed(at: start, chance: 1)
        #expect(schedule.dueAt == after(15))
        #expect(schedule.isUsable(at: now))
        var late = filled()
        let justBefore = Instant(nanoseconds: due.nanoseconds - 1_000_000_000)
        late.begin(.unknownKey("a"), at: justBefore)
        late.failed(at: justBefore, chance: 1)
        #expect(late.dueAt == due)
    }

    @Test func `keys that are too old are as good as none`() throws {
        var schedule = filled()
        let end = try #require(schedule.usableUntil)
        schedule.begin(.unknownKey("a"), at: end)
        schedule.failed(at: end, chance: 1)
        #expect(!schedule.isUsable(at: end))
        #expect(schedule.verdict(on: "a", at: end) == .unavailable(until: end + .seconds(1)))
    }
}
