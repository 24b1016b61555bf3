package import Text

/// Somebody has proved who they are, and by what. Whoever begins a session needs one; nothing but the rules of Identity makes one.
package struct Authentication: Sendable {
    /// What has led to it. It says what is counted and put on record when the session has begun.
    package enum Occasion: Sendable {
        case password
        /// A code from a mail to the user's address.
        case mailedCode
        /// A provider's proof, and what it has opened.
        case provider(ProviderID, IdentityMetrics.ProviderSignIn)
        /// The account has been made just now. That is on record already.
        case signUp
        /// Somebody who is signed in gets one more session.
        case continued
    }

    package let user: User
    /// RFC 8176. Empty where nobody can tell.
    package let methods: Set<AuthenticationMethod>
    /// Whose proof it was, if it was a provider's.
    package let provider: ProviderID?
    /// When the proof was given, by this copy's clock.
    package let time: Timestamp
    package let occasion: Occasion
    /// For the tokens of the session beside the user's own.
    let claims: JSONObject
    /// What the user has set in the app API, where it has been looked up along with the rest.
    package let settings: AppSettings?
    /// Stores a user who is to be made when a session has begun, and not without, or uses up what has led to it; nil where the sign-in is to be noted
    /// and nothing else.
    let enrolment: (@Sendable () async throws(IdentityError) -> Void)?

    init(
        of user: User, by methods: Set<AuthenticationMethod>, provider: ProviderID? = nil, at time: Timestamp,
        occasion: Occasion, claims: JSONObject = JSONObject(), settings: AppSettings? = nil,
        enrolment: (@Sendable () async throws(IdentityError) -> Void)? = nil
    ) {
        self.claims = claims
        self.settings = settings
        self.enrolment = enrolment
        self.user = user
        self.methods = methods
        self.provider = provider
        self.time = time
        self.occasion = occasion
    }

    /// Whether the account was made by it.
    package var isNew: Bool {
        switch occasion {
        case .signUp, .provider(_, .created): true
        case .password, .mailedCode, .provider, .continued: false
        }
    }
}

extension Authentication.Occasion {
    /// Whether it is a sign-in: a sign-up and a continuation are on record as what they are.
    var isSignIn: Bool {
        switch self {
        case .password, .mailedCode, .provider: true
        case .signUp, .continued: false
        }
    }

    /// What audit events say of it.
    var detail: JSONObject {
        guard case .provider(let provider, _) = self else { return JSONObject() }
        return JSONObject([JSONObject.Member(key: "provider", value: .string(provider.text))])
    }

    /// Counts one that has come to a session.
    func count(in metrics: IdentityMetrics) {
        switch self {
        case .password, .mailedCode: metrics.count(IdentityMetrics.SignIn.succeeded)
        case .provider(_, let outcome): metrics.count(outcome)
        case .signUp, .continued: break
        }
    }

    /// Counts one that has not.
    func count(_ error: IdentityError, in metrics: IdentityMetrics) {
        switch self {
        case .password, .mailedCode: metrics.count(error.isOurs ? IdentityMetrics.SignIn.unavailable : .refused)
        case .provider: metrics.count(error.isOurs ? IdentityMetrics.ProviderSignIn.unavailable : .refused)
        case .signUp, .continued: break
        }
    }
}

/// What presented credentials come to.
package enum AuthenticationResult: Sendable {
    case complete(Authentication)
    /// They are right, and one more proof is missing. No session begins before it.
    case needs(AuthenticationFactor, pending: PendingAuthentication)

    /// For a client protocol that can ask for nothing more: to it, credentials that are not enough are wrong.
    /// - Throws: `IdentityError.invalidCredentials`.
    package func completed() throws(IdentityError) -> Authentication {
        switch self {
        case .complete(let authentication): authentication
        case .needs: throw .invalidCredentials
        }
    }
}

/// A further proof that can be asked for.
package enum AuthenticationFactor: Hashable, Sendable {
    case oneTimePassword
    case passkey
}

/// Somebody who has given the first proof. It opens nothing.
package struct PendingAuthentication: Sendable {
    package let userID: UserID
    package let methods: Set<AuthenticationMethod>
    package let provider: ProviderID?
    package let time: Timestamp
}
