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
    package var leavesProofUnused: Bool {
        if case .service(.tooManyRequests) = self { return true }
        return self == .emailNeedsLinking || self == .invalidInput([InputProblem(.email, .missing)])
    }

    /// Whether the service has failed, and not the caller.
    var isOurs: Bool {
        if case .service(let failure) = self { failure.isOurs } else { false }
    }
}

extension IdentityError {
    package static func invalidInput(_ problems: [InputProblem]) -> IdentityError { .user(.invalidInput(problems)) }
    package static let emailTaken = IdentityError.user(.emailTaken)
    package static let usernameTaken = IdentityError.user(.usernameTaken)
    package static let userNotFound = IdentityError.user(.notFound)

    package static let invalidCredentials = IdentityError.credentials(.invalid)
    package static let userDisabled = IdentityError.credentials(.userDisabled)
    package static let emailNotVerified = IdentityError.credentials(.emailNotVerified)

    package static let invalidToken = IdentityError.session(.invalidAccessToken)
    package static let invalidRefreshToken = IdentityError.session(.invalidRefreshToken)
    package static let sessionNotFound = IdentityError.session(.notFound)
    package static let recentSignInRequired = IdentityError.session(.recentSignInRequired)

    package static let invalidCode = IdentityError.code(.invalid)

    package static let invalidProof = IdentityError.federation(.invalidProof)
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
