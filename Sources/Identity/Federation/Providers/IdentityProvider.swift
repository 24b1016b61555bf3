package import Crypto

/// Somebody whose word about who a user is we take: under which names it speaks, with which keys, and to whom.
///
/// All of it is configured. Nothing is taken from a token or from the provider's discovery document, which has been seen to announce
/// an issuer that the tokens do not have.
package struct IdentityProvider: Equatable, Sendable {
    package let id: ProviderID
    /// What `iss` may be, byte by byte.
    package var issuers: [String]
    /// Where its public keys are (RFC 7517 §5).
    package var keySetURL: String
    /// Our own names at the provider, one of which must be in `aud`. Without any no token is accepted.
    package var clientIDs: [String]
    package var algorithms: [SignatureAlgorithm]
    package var nonceRule: NonceRule
    package var emailTrust: EmailTrust

    package init(
        id: ProviderID, issuers: [String], keySetURL: String, clientIDs: [String], algorithms: [SignatureAlgorithm] = [.rs256],
        nonceRule: NonceRule = NonceRule(), emailTrust: EmailTrust = .never
    ) {
        self.id = id
        self.issuers = issuers
        self.keySetURL = keySetURL
        self.clientIDs = clientIDs
        self.algorithms = algorithms
        self.nonceRule = nonceRule
        self.emailTrust = emailTrust
    }
}

/// When a nonce has to be there, and what the token says of it (OpenID Connect Core §2, §3.1.3.7).
package struct NonceRule: Equatable, Sendable {
    /// When there has to be one.
    package enum Presence: Equatable, Sendable {
        /// In the request and in the token, or in neither.
        case bothOrNeither
        case required
    }

    /// What the token has of it.
    package enum Form: Equatable, Sendable {
        /// The token repeats the nonce.
        case plain
        /// The token has the lowercase hexadecimal SHA-256 of the nonce, so that who has seen the token cannot present it.
        case hashed
        /// Either: Apple repeats what the app gave it, and by convention native apps give it the hash.
        case plainOrHashed
    }

    package var presence: Presence
    package var form: Form

    package init(_ presence: Presence = .bothOrNeither, form: Form = .plain) {
        self.presence = presence
        self.form = form
    }
}

/// When an e-mail address in a token proves that the mailbox is the user's today, so that an account may be linked by it. Nothing
/// counts that the provider itself does not call verified.
package enum EmailTrust: Equatable, Sendable {
    case never
    /// Whenever the provider says `email_verified`.
    case whenVerified
    /// Where Google runs the mailbox: `gmail.com`, or an account of a domain that Google hosts (`hd`).
    case hostedByGoogle
    /// For addresses of these domains, in lower case.
    case domains([String])
}

extension EmailTrust {
    /// A domain as ``domains(_:)`` compares it; nil for what no mail can go to.
    package static func domain(_ text: String) -> String? {
        DomainName(text)?.ascii
    }
}

/// The two providers that everybody has. What is pinned here is what their tokens say, whatever their discovery documents do.
extension IdentityProvider {
    /// Sign in with Apple. Since 2025 there are two issuers, with the same keys.
    package static func apple(clientIDs: [String]) -> IdentityProvider {
        IdentityProvider(
            id: .apple, issuers: ["https://appleid.apple.com", "https://account.apple.com"],
            keySetURL: "https://appleid.apple.com/auth/keys", clientIDs: clientIDs,
            nonceRule: NonceRule(form: .plainOrHashed), emailTrust: .whenVerified)
    }

    /// Sign in with Google, which writes its issuer in two ways.
    package static func google(clientIDs: [String]) -> IdentityProvider {
        IdentityProvider(
            id: .google, issuers: ["https://accounts.google.com", "accounts.google.com"],
            keySetURL: "https://www.googleapis.com/oauth2/v3/certs", clientIDs: clientIDs, emailTrust: .hostedByGoogle)
    }
}
