/// Why an operation was refused: the errors of the concepts that it touches. An API turns them into its own words in one place.
///
/// No case carries a secret, a value that the caller sent, or the text of another system's error. The static members below make and
/// match an error by its name alone: `throw .emailTaken`, `catch .invalidToken`.
package enum IdentityError: Error, Equatable, Sendable {
    case user(UserError)
    case credentials(CredentialError)
    case session(SessionError)
    case code(CodeError)
    case federation(FederationError)
    case client(ClientError)
    case service(ServiceFailure)

    /// Whether a provider's proof that was refused so has led to nobody, so that it may be shown once more.
    package var leavesProviderTokenUnused: Bool {
        if case .service(.tooManyRequests) = self { return true }
        return self == .emailNeedsLinking || self == .invalidInput([InputProblem(.email, .missing)])
    }

    /// Whether the service has failed, and not the caller.
    package var isOurs: Bool {
        if case .service(let failure) = self { failure.isOurs } else { false }
    }
}

extension IdentityError {
    package static func invalidInput(_ problems: [InputProblem]) -> IdentityError { .user(.invalidInput(problems)) }
    package static let emailTaken = IdentityError.user(.emailTaken)
    package static let usernameTaken = IdentityError.user(.usernameTaken)
    package static let phoneNumberTaken = IdentityError.user(.phoneNumberTaken)
    package static let userNotFound = IdentityError.user(.notFound)

    package static let invalidCredentials = IdentityError.credentials(.invalid)
    package static let userDisabled = IdentityError.credentials(.userDisabled)
    package static let emailNotVerified = IdentityError.credentials(.emailNotVerified)

    package static let invalidToken = IdentityError.session(.invalidAccessToken)
    package static let invalidRefreshToken = IdentityError.session(.invalidRefreshToken)
    package static let sessionNotFound = IdentityError.session(.notFound)
    package static let recentSignInRequired = IdentityError.session(.recentSignInRequired)

    package static let invalidCode = IdentityError.code(.invalid)

    package static let invalidProviderToken = IdentityError.federation(.invalidProviderToken)
    package static let unknownProvider = IdentityError.federation(.unknownProvider)
    package static let emailNeedsLinking = IdentityError.federation(.emailNeedsLinking)
    package static let identityTaken = IdentityError.federation(.identityTaken)
    package static let identityNotFound = IdentityError.federation(.identityNotFound)
    package static let lastSignInMethod = IdentityError.federation(.lastSignInMethod)

    package static let invalidClient = IdentityError.client(.invalid)
    package static let clientNotPermitted = IdentityError.client(.notPermitted)

    package static func tooManyRequests(retryAfter delay: Duration) -> IdentityError {
        .service(.tooManyRequests(retryAfter: delay))
    }
    package static func unavailable(retryAfter delay: Duration) -> IdentityError { .service(.unavailable(retryAfter: delay)) }
    package static func overloaded(retryAfter delay: Duration) -> IdentityError { .service(.overloaded(retryAfter: delay)) }
    package static let internalFault = IdentityError.service(.internalFault)

    /// See `ServiceFailure.fault`.
    package static func fault(
        _ cause: String = ServiceFailure.unexpectedForm, file: StaticString = #fileID, line: UInt = #line
    ) -> IdentityError {
        .service(.fault(cause, file: file, line: line))
    }
}

/// Why a user was not made or changed.
package enum UserError: Error, Equatable, Sendable {
    /// Something that the caller wants to set breaks a rule; all problems at once, never none.
    case invalidInput([InputProblem])
    case emailTaken
    case usernameTaken
    case phoneNumberTaken
    /// There is no such user, or none any more.
    case notFound
}

/// Why credentials authenticate nobody.
package enum CredentialError: Error, Equatable, Sendable {
    /// Unknown user, wrong password, no password at all, disabled account: the caller cannot tell them apart.
    case invalid
    /// The password is right, and the account is barred: only for protocols that tell (`SignInAttempt.tellsDisabled`).
    case userDisabled
    /// The credentials are right, but a user must prove first that the e-mail address is theirs.
    case emailNotVerified
}

/// Why a session, or a token of it, is no good.
package enum SessionError: Error, Equatable, Sendable {
    /// An access token or a cookie that is none, or no longer one.
    case invalidAccessToken
    /// A refresh token that is none, or no longer one. Reuse looks the same to the caller.
    case invalidRefreshToken
    case notFound
    /// The session is too old for this: sign in again first.
    case recentSignInRequired
}

/// Why a code from a mail was not taken.
package enum CodeError: Error, Equatable, Sendable {
    /// It is none, or no longer one.
    case invalid
}

/// Why an identity of a provider was not taken, linked or unlinked.
package enum FederationError: Error, Equatable, Sendable {
    /// An id token, or another proof of who the user is elsewhere, that proves nothing. Why is in the audit log.
    case invalidProviderToken
    /// There is no such identity provider, or it is not switched on.
    case unknownProvider
    /// The e-mail address has an account, and the token is not enough to take it for the same person's: sign in there and link.
    case emailNeedsLinking
    /// The identity belongs to another account.
    case identityTaken
    /// The user has no identity of that provider.
    case identityNotFound
    /// Without it the user could not sign in any more.
    case lastSignInMethod
}

/// Why a client was refused.
package enum ClientError: Error, Equatable, Sendable {
    /// It is unknown or disabled, or did not prove itself.
    case invalid
    /// It may not do what it asks for.
    case notPermitted
    /// There is a client of this id.
    case idTaken
}
