package import Crypto
package import Text

/// Where a signing key is in its life. The raw values are stored.
package enum KeyState: String, Sendable, CaseIterable {
    /// Published, so that everybody knows it before it signs. Can become `active`.
    case next
    /// Signs. At most one for each algorithm. Can become `retired`.
    case active
    /// Published until the last token that it signed has expired, then deleted.
    case retired
}

/// A signing key without its private part.
package struct SigningKeyRecord: Equatable, Sendable {
    package let kid: String
    package let algorithm: SignatureAlgorithm
    package let state: KeyState
    package let createdAt: Timestamp
    package let activatedAt: Timestamp?
    package let retiredAt: Timestamp?

    package init(
        kid: String, algorithm: SignatureAlgorithm, state: KeyState, createdAt: Timestamp, activatedAt: Timestamp? = nil,
        retiredAt: Timestamp? = nil
    ) {
        self.kid = kid
        self.algorithm = algorithm
        self.state = state
        self.createdAt = createdAt
        self.activatedAt = activatedAt
        self.retiredAt = retiredAt
    }
}

/// When a signing key goes on to its next state: a rule about time alone.
///
/// A new key is published for an hour before it signs: a copy knows it after a minute, and verifiers are told to ask for the key set
/// every five minutes. One that has signed is published until the last of its tokens has expired, and a day longer, which is for
/// copies that heard of its successor late, and for clocks.
///
/// The keys of each algorithm go their own ways: one can be replaced while the other stays.
package struct KeyRotation: Sendable {
    package static let publication: Duration = .seconds(3600)
    package static let margin: Duration = .seconds(86_400)

    /// What is to be done now.
    package enum Step: Equatable, Sendable {
        /// The key has signed for as long as it may: another one is published.
        case replace(SigningKeyRecord)
        /// The key signs from now on, and the one that did is retired.
        case activate(SigningKeyRecord)
        case remove(SigningKeyRecord)
    }

    private let longestTokenLife: Duration
    private let keyLife: Duration

    /// - Parameters:
    ///   - longestTokenLife: of any client.
    ///   - keyLife: after which a key that signs is replaced; zero for never, but by an operator.
    package init(longestTokenLife: Duration, keyLife: Duration = .zero) {
        self.longestTokenLife = longestTokenLife
        self.keyLife = keyLife
    }

    /// When a key that waits may sign.
    package static func activation(of key: SigningKeyRecord) -> Timestamp {
        key.createdAt.adding(publication)
    }

    /// When a key that has signed is not needed any more; nil for any other.
    package func removal(of key: SigningKeyRecord) -> Timestamp? {
        guard key.state == .retired else { return nil }
        return (key.retiredAt ?? key.createdAt).adding(longestTokenLife + Self.margin)
    }

    /// Of several keys of one algorithm that wait, the oldest goes first.
    package func steps(_ keys: [SigningKeyRecord], at now: Timestamp) -> [Step] {
        var steps: [Step] = []
        for algorithm in KeyRing.algorithms {
            let waiting = keys.filter { $0.algorithm == algorithm && $0.state == .next }
            if let next = waiting.min(by: { $0.createdAt < $1.createdAt }), Self.activation(of: next) <= now {
                steps.append(.activate(next))
            } else if waiting.isEmpty, keyLife > .zero,
                let active = keys.first(where: { $0.algorithm == algorithm && $0.state == .active }),
                (active.activatedAt ?? active.createdAt).adding(keyLife) <= now
            {
                steps.append(.replace(active))
            }
        }
        for key in keys {
            if let removal = removal(of: key), removal <= now { steps.append(.remove(key)) }
        }
        return steps
    }
}
