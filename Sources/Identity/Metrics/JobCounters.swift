/// What became of jobs, counted on one loop.
package struct JobCounters: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case done
        /// It will be tried again.
        case failed
        /// Never again.
        case givenUp = "given_up"
        /// It was not done before it was of no use any more.
        case expired
    }

    /// What is counted apart.
    package struct Key: Hashable, Sendable {
        package let kind: JobKind
        /// One of the kind's `topics`, or `other`.
        package let topic: String
        package let outcome: Outcome

        package init(kind: JobKind, topic: String, outcome: Outcome) {
            self.kind = kind
            self.topic = topic
            self.outcome = outcome
        }
    }

    /// What there is of a kind.
    package struct Count: Equatable, Sendable {
        /// Jobs that are not over and still of use.
        package var waiting = 0
        /// Since the oldest of them was entered; zero for none.
        package var oldestAge: Duration = .zero
        /// Jobs that were given up and whose rows are still there.
        package var givenUp = 0

        package init() {}
    }

    package private(set) var outcomes: [Key: UInt64] = [:]
    /// Over all copies, when this one last looked. Only the loop that looks has any.
    package internal(set) var counts: [JobKind: Count] = [:]

    /// The sum of two loops' counters.
    mutating func add(_ other: JobCounters) {
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
        counts.merge(other.counts) { first, _ in first }
    }

    /// A topic of another version must not make a counter.
    mutating func count(_ outcome: Outcome, _ kind: JobKind, _ topic: String, _ count: UInt64 = 1) {
        let known = kind.topics.contains(topic) ? topic : "other"
        outcomes[Key(kind: kind, topic: known, outcome: outcome), default: 0] += count
    }
}
