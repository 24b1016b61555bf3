/// Which attempts a bucket is for. The raw values go into `LimitScript`, which takes them in this order.
package enum LimitCondition: UInt8, Sendable, CaseIterable {
    case always = 1
    /// From an address and a device that have never signed in to the account.
    case stranger
    /// Not from a device that has.
    case unknownDevice
    /// From a device that has.
    case knownDevice

    func holds(_ recognition: LimitRecognition) -> Bool {
        switch self {
        case .always: true
        case .stranger: !recognition.address && !recognition.device
        case .unknownDevice: !recognition.device
        case .knownDevice: recognition.device
        }
    }
}

/// By what the caller is known at the account: where it has signed in from, and as which device.
package struct LimitRecognition: Equatable, Sendable {
    package var address = false
    package var device = false

    package init(address: Bool = false, device: Bool = false) {
        self.address = address
        self.device = device
    }
}

/// Whether an attempt that counts in several buckets is allowed: only if each of them allows it, and if not it counts in none.
/// `LimitScript` is the same rule in Lua.
package enum LimitRule {
    /// A budget that the attempt counts in, and what is remembered of it.
    package struct Bucket: Equatable, Sendable {
        package let gcra: GCRA
        package let condition: LimitCondition
        /// What is remembered.
        package var arrival: Int64?
        /// When the first of what is remembered was counted: nothing is given back to a bucket that has been emptied since.
        package var birth: Int64 = 0

        package init(_ gcra: GCRA, _ condition: LimitCondition, arrival: Int64? = nil) {
            self.gcra = gcra
            self.condition = condition
            self.arrival = arrival
        }

        /// What a refund leaves.
        package mutating func refund(_ mark: Mark, at now: Int64) {
            guard arrival != nil, birth == mark.birth, mark.arrival > now else { return }
            arrival = gcra.arrival(refunding: mark.arrival, from: arrival, at: now)
        }
    }

    /// What an attempt has left in a bucket, by which it is given back.
    package struct Mark: Equatable, Sendable {
        package let arrival: Int64
        package let birth: Int64

        package init(arrival: Int64, birth: Int64) {
            self.arrival = arrival
            self.birth = birth
        }
    }

    /// What a bucket says. Times are microseconds.
    package enum Verdict: Equatable, Sendable {
        /// The attempt does not count here.
        case skipped
        case allowed(left: Int64, reset: Int64)
        case refused(wait: Int64)
    }

    /// What each bucket says to an attempt now; what is remembered changes if they all allow it.
    package static func attempt(
        _ buckets: inout [Bucket], _ recognition: LimitRecognition, at now: Int64
    ) -> [Verdict] {
        let decisions = buckets.map { bucket in
            bucket.condition.holds(recognition) ? bucket.gcra.decision(arrival: bucket.arrival, at: now) : nil
        }
        let verdicts = decisions.map { Verdict($0) }
        guard !verdicts.contains(where: \.isRefusal) else { return verdicts }
        for (index, decision) in decisions.enumerated() {
            guard case .allowed(let arrival, _, _)? = decision else { continue }
            if buckets[index].arrival ?? now <= now { buckets[index].birth = now / 1000 }
            buckets[index].arrival = arrival
        }
        return verdicts
    }
}

extension LimitRule.Verdict {
    init(_ decision: GCRA.Decision?) {
        switch decision {
        case nil: self = .skipped
        case .allowed(_, let left, let reset)?: self = .allowed(left: left, reset: reset)
        case .refused(let wait)?: self = .refused(wait: wait)
        }
    }

    package var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
