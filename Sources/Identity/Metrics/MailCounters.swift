/// What became of mails, counted on one loop.
package struct MailCounters: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// The mail server has taken it.
        case sent
        /// It will be tried again.
        case deferred
        /// Never again: the mail server has refused it for good.
        case refused
        /// It was not sent before it was of no use any more.
        case expired
        /// It does not open with our master key.
        case unreadable
    }

    /// What is counted apart.
    package struct Key: Hashable, Sendable {
        package let kind: MailKind
        package let outcome: Outcome

        package init(kind: MailKind, outcome: Outcome) {
            self.kind = kind
            self.outcome = outcome
        }
    }

    package internal(set) var outcomes: [Key: UInt64] = [:]
    /// In the outbox, over all copies, when this one last looked. Only the loop that looks has these three.
    package internal(set) var waiting = 0
    /// Of the oldest mail that waits; zero for none.
    package internal(set) var oldestAge: Duration = .zero
    /// Whether the mail server takes mail from us; nil when there is none, or nothing was to be sent yet.
    package internal(set) var isServerUp: Bool?

    package init() {}

    /// The sum of two loops' counters.
    mutating func add(_ other: MailCounters) {
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
        waiting += other.waiting
        oldestAge = max(oldestAge, other.oldestAge)
        isServerUp = isServerUp ?? other.isServerUp
    }

    mutating func count(_ outcome: Outcome, of kind: MailKind, _ count: UInt64 = 1) {
        outcomes[Key(kind: kind, outcome: outcome), default: 0] += count
    }
}
