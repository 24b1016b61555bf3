import Networking

/// Why a request to the rules was refused. Every API has one place that turns it into its own words.
///
/// None of the cases carries a secret, a value that the caller sent, or the text of another system's error.
package enum IdentityError: Error, Equatable, Sendable {
    /// Something that the caller wants to set breaks a rule; all problems at once, never none.
    case invalidInput([InputProblem])
    case emailTaken
    case usernameTaken
    /// The credentials are right, but a user must prove first that the e-mail address is theirs.
    case emailNotVerified
    /// A code from a mail that is none, or no longer one.
    case invalidCode
    /// Unknown user, wrong password, no password at all, disabled account: the caller cannot tell them apart.
    case invalidCredentials
    /// The password is right, and the account is barred: only for protocols that tell (`SignInAttempt.tellsDisabled`).
    case userDisabled
    /// A client that is unknown, or whose secret is wrong.
    case invalidClient
    /// A client that may not do what it asks for.
    case clientNotPermitted
    /// An access token that is none, or no longer one.
    case invalidToken
    /// A refresh token that is none, or no longer one. Reuse looks the same to the caller.
    case invalidRefreshToken
    /// The token was good, but its user is gone.
    case userNotFound
    case sessionNotFound
    /// An id token, or another proof of who the user is elsewhere, that proves nothing. Why is in the audit log.
    case invalidProof
    /// There is no such identity provider, or it is not switched on.
    case unknownProvider
    /// The e-mail address has an account, and the proof is not enough to take it for the same person's: sign in there and link.
    case emailNeedsLinking
    /// The identity belongs to another account.
    case identityTaken
    /// Without it the user could not sign in any more.
    case lastSignInMethod
    /// The session is too old for this: sign in again first.
    case recentSignInRequired
    /// The user has no identity of that provider.
    case identityNotFound
    /// The budget for this is used up; nothing was looked at. It is the same whether or not there is such an account.
    case tooManyRequests(retryAfter: Duration)
    /// A store does not answer; nothing was decided.
    case unavailable(retryAfter: Duration)
    /// More work is waiting than can be done in time; nothing was begun.
    case overloaded(retryAfter: Duration)
    /// Something that cannot be: a bug or a damaged record. The log has it under the request's id.
    case internalFault

    /// Something that cannot be, with where and what it is: the one way to make an `internalFault`, so that none is without its line in
    /// the log.
    /// - Parameter cause: without secrets and without what somebody sent.
    package static func fault(
        _ cause: String = "a record or an answer is not of the form that it must have", file: StaticString = #fileID,
        line: UInt = #line
    ) -> IdentityError {
        WaitTimes.note(fault: "\(cause) (\(file):\(line))")
        return .internalFault
    }

    /// Whether a provider's proof that was refused so has led to nobody, so that it may be shown once more.
    package var leavesProofUnused: Bool {
        if case .tooManyRequests = self { return true }
        return self == .emailNeedsLinking || self == .invalidInput([InputProblem(.email, .missing)])
    }

    /// Whether the service has failed, and not the caller.
    var isOurs: Bool {
        switch self {
        case .unavailable, .overloaded, .internalFault: true
        case .invalidInput, .emailTaken, .usernameTaken, .emailNotVerified, .invalidCode, .invalidCredentials, .userDisabled,
            .invalidClient,
            .clientNotPermitted, .invalidToken, .invalidRefreshToken, .userNotFound, .sessionNotFound, .invalidProof,
            .unknownProvider, .emailNeedsLinking, .identityTaken, .lastSignInMethod, .recentSignInRequired, .identityNotFound,
            .tooManyRequests:
            false
        }
    }
}
