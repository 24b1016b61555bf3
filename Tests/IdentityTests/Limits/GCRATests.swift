import Testing
import Text

@testable import Identity

@Suite struct GCRATests {
    private let now = Sample.now.microseconds

    /// The decisions on attempts at these times, in seconds from now.
    private func decisions(_ budget: Budget, at seconds: [Double]) -> [GCRA.Decision] {
        let gcra = GCRA(budget)
        var arrival: Int64?
        return seconds.map { second in
            let decision = gcra.decision(arrival: arrival, at: now + Int64(second * 1_000_000))
            if case .allowed(let next, _, _) = decision { arrival = next }
            return decision
        }
    }

    @Test func `the whole budget may be used at once, and not one more`() {
        let decisions = decisions(Budget(3, per: .seconds(60)), at: [0, 0, 0, 0])
        #expect(
            decisions == [
                .allowed(arrival: now + 20_000_000, left: 2, reset: 20_000_000),
                .allowed(arrival: now + 40_000_000, left: 1, reset: 40_000_000),
                .allowed(arrival: now + 60_000_000, left: 0, reset: 60_000_000), .refused(wait: 20_000_000),
            ])
    }

    @Test func `a unit is free again after its part of the period, to the microsecond`() {
        let gcra = GCRA(Budget(3, per: .seconds(60)))
        let used = now + 60_000_000
        #expect(gcra.decision(arrival: used, at: now + 19_999_999) == .refused(wait: 1))
        #expect(
            gcra.decision(arrival: used, at: now + 20_000_000)
                == .allowed(arrival: now + 80_000_000, left: 0, reset: 60_000_000))
    }

    @Test func `what was refused has used nothing`() {
        let decisions = decisions(Budget(1, per: .seconds(10)), at: [0, 1, 2, 9.999999, 10])
        #expect(decisions.dropFirst().dropLast().allSatisfy { if case .refused = $0 { true } else { false } })
        #expect(decisions.last == .allowed(arrival: now + 20_000_000, left: 0, reset: 10_000_000))
    }

    @Test(arguments: [
        Budget(1, per: .seconds(1)), Budget(7, per: .seconds(10)), Budget(300, per: .seconds(600)), Budget(999, per: .seconds(1)),
        Budget(1_000_000, per: .seconds(604_800)),
    ])
    func `a budget allows what it says, and its window is no longer than its period`(_ budget: Budget) {
        let gcra = GCRA(budget)
        var arrival: Int64?
        var allowed = 0
        while case .allowed(let next, let left, _) = gcra.decision(arrival: arrival, at: now), allowed <= budget.count {
            allowed += 1
            #expect(left == Int64(budget.count - allowed))
            arrival = next
        }
        #expect(allowed == budget.count)
        #expect(gcra.window <= budget.period.wholeMilliseconds * 1000)
    }

    @Test func `a clock that was ahead costs no more than the whole budget`() {
        let gcra = GCRA(Budget(2, per: .seconds(10)))
        #expect(gcra.decision(arrival: now + 3_600_000_000, at: now) == .refused(wait: 5_000_000))
        #expect(gcra.arrival(refunding: now + 3_600_000_000, from: now + 3_600_000_000, at: now) == now + 5_000_000)
    }

    @Test func `a refund gives back one unit, and never more than was used`() {
        let gcra = GCRA(Budget(2, per: .seconds(10)))
        #expect(gcra.arrival(refunding: now + 10_000_000, from: now + 10_000_000, at: now) == now + 5_000_000)
        #expect(gcra.arrival(refunding: now + 5_000_000, from: now + 5_000_000, at: now) == nil)
        #expect(gcra.arrival(refunding: now + 1, from: now + 1, at: now) == nil)
        #expect(gcra.arrival(refunding: now + 5_000_000, from: nil, at: now) == nil)
    }

    @Test func `what time has given back of a unit is not given back again`() {
        let gcra = GCRA(Budget(2, per: .seconds(10)))
        // Four of its five seconds have passed: one is left of it, and the other unit is another's.
        #expect(gcra.arrival(refunding: now + 1_000_000, from: now + 6_000_000, at: now) == now + 5_000_000)
        #expect(gcra.arrival(refunding: now, from: now + 6_000_000, at: now) == now + 6_000_000)
        #expect(gcra.arrival(refunding: now - 1, from: now + 6_000_000, at: now) == now + 6_000_000)
    }

    @Test func `nobody gets a budget that allows nothing, or more than one in a millisecond`() {
        #expect(Budget.isPossible(1, per: .milliseconds(1)))
        #expect(Budget.isPossible(1000, per: .seconds(1)))
        #expect(!Budget.isPossible(1001, per: .seconds(1)))
        #expect(!Budget.isPossible(0, per: .seconds(1)))
        #expect(!Budget.isPossible(1, per: .zero))
    }
}

@Suite struct LimitRuleTests {
    private let now = Sample.now.microseconds

    @Test func `an attempt that one bucket refuses counts in none`() {
        let full = now + 10_000_000
        var buckets = [
            LimitRule.Bucket(GCRA(Budget(5, per: .seconds(10))), .always),
            LimitRule.Bucket(GCRA(Budget(1, per: .seconds(10))), .always, arrival: full),
        ]
        let before = buckets
        #expect(
            LimitRule.attempt(&buckets, LimitRecognition(), at: now)
                == [.allowed(left: 4, reset: 2_000_000), .refused(wait: 10_000_000)])
        #expect(buckets == before)
    }

    @Test(arguments: [
        (false, false, [true, true, true, false]), (true, false, [true, false, true, false]),
        (false, true, [true, false, false, true]), (true, true, [true, false, false, true]),
    ])
    func `which buckets count depends on by what the caller is known`(_ address: Bool, _ device: Bool, _ counts: [Bool]) {
        var buckets = LimitCondition.allCases.map { LimitRule.Bucket(GCRA(Budget(5, per: .seconds(10))), $0) }
        _ = LimitRule.attempt(&buckets, LimitRecognition(address: address, device: device), at: now)
        #expect(buckets.map { $0.arrival != nil } == counts)
    }
}

@Suite struct ClientNetworkTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::ffff:c000:207", "192.0.2.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"), ("2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"), ("::1", "::/64"), ("a", "a"), ("", ""), ("192.0.2.7:80", "192.0.2.7:80"),
    ])
    func `IPv4 counts by address, IPv6 by its first half, and whatever else as it is`(_ address: String, _ network: String) {
        #expect(ClientNetwork(address).text == network)
    }

    @Test func `no address is one too`() {
        #expect(ClientNetwork(nil).text == "")
    }
}

@Suite struct DeviceIDTests {
    @Test(arguments: ["x", "8B1F7F0C-4E0E-4B8B-9C3A-1F2E3D4C5B6A", String(repeating: "~", count: 128)])
    func `visible characters make an id`(_ text: String) {
        #expect(DeviceID(text)?.text == text)
    }

    @Test(arguments: ["", " ", "a b", "a\0", "é", "a\n", String(repeating: "a", count: 129)])
    func `anything else is none`(_ text: String) {
        #expect(DeviceID(text) == nil)
    }
}

@Suite struct LimitNoticesTests {
    @Test func `a bucket is put on record once in ten minutes, and not too many of them`() {
        let notices = LimitNotices()
        #expect(notices.admits("a", at: Sample.now))
        #expect(!notices.admits("a", at: Sample.now.adding(LimitNotices.pause - .milliseconds(1))))
        for number in 1..<LimitNotices.capacity { #expect(notices.admits("\(number)", at: Sample.now)) }
        #expect(!notices.admits("one more", at: Sample.now))
        #expect(notices.admits("a", at: Sample.now.adding(LimitNotices.pause)))
    }
}
