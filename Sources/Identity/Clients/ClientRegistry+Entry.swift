import Crypto
package import Networking
package import Text

extension ClientRegistry {
    /// A client with what is derived from it once.
    package final class Entry: Sendable, AnswerReader {
        package let client: Client
        var clientID: ClientID { client.id }
        /// Whose tokens it may see; nil for those of every audience.
        let visibleAudiences: VisibleAudiences?
        /// From here on the secret before the present one is refused.
        private let previousSecretEndsAt: Instant

        /// - Parameter instant: when the record was asked for.
        init(_ client: Client, readAt instant: Instant) {
            self.client = client
            visibleAudiences =
                client.audiences.contains(Client.anyAudience) ? nil : VisibleAudiences(client.audiences)
            previousSecretEndsAt = instant + (client.previousSecret?.remaining ?? .zero)
        }

        /// What a secret proves.
        package enum Verdict: Equatable, Sendable {
            case nothing
            /// - Parameter until: from here on it proves nothing any more; nil for as long as the record is used.
            case client(until: Instant?)
        }

        /// Takes the same time wherever the digests differ.
        package func verdict(on secret: SecretString, at now: Instant) -> Verdict {
            guard case .secret(let digest) = client.authentication else { return .nothing }
            let presented = ClientSecret.digest(of: secret)
            if presented.matches(digest) { return .client(until: nil) }
            guard let previous = client.previousSecret, now < previousSecretEndsAt, presented.matches(previous.digest) else {
                return .nothing
            }
            return .client(until: previousSecretEndsAt)
        }
    }
}

/// A digest of whatever carried a client's id and secret, under which it can be recognised when it comes again the same.
package struct CredentialDigest: Hashable, Sendable {
    private let digest: Digest

    package init(of bytes: Span<UInt8>) {
        digest = SHA256.hash(bytes)
    }
}
