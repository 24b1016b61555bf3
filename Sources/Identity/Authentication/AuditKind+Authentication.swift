/// What is recorded of signing in.
extension AuditKind {
    /// Why a sign-in failed: told to the operator, never to the caller.
    package enum SignInFailure: String, Sendable, CaseIterable {
        case unknownUser = "unknown_user"
        case wrongPassword = "wrong_password"
        case noPassword = "no_password"
        /// The stored hash is of another program, or asks for more than is allowed: nobody can sign in with it, and a reset mends it.
        case unusableHash = "unusable_hash"
        case disabledUser = "disabled_user"
        /// The password was right, but the address is not proved, and sign-up says nothing of addresses (`AccountRules.signsUpByMail`).
        case emailNotVerified = "email_not_verified"
        /// The password was right, but meanwhile the account was barred or deleted or got another password.
        case accountChanged = "account_changed"
        /// The provider has told us not to trust the identity, or not what it said before.
        case identityBarred = "identity_barred"
        /// A provider's proof with the address of an account that it is not enough for.
        case emailNeedsLinking = "email_needs_linking"
    }

    package static let userSignedIn = AuditKind("user_signed_in")
    /// With an ID token of the Firebase project that the users come from.
    package static let sessionMigrated = AuditKind("session_migrated")

    package static func signInFailed(_ failure: SignInFailure) -> AuditKind {
        AuditKind("sign_in_failed", reason: failure.rawValue, outcome: .refused)
    }
}
