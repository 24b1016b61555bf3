package import Identity
import Text

extension RestAuth {
    /// Mails that an operator has sent, with the links that users get otherwise.
    package enum OperatorMails {
        /// Sends a user the link for a new password.
        /// - Throws: what `Confirmations.requestPasswordReset` throws.
        package static func sendReset(
            to user: User, _ services: Services, _ options: Options, caller: Caller
        ) async throws(IdentityError) {
            try await services.confirmations.requestPasswordReset(
                email: user.email.normalized, language: .english,
                link: { profile, code in
                    LinkTemplate.filled(
                        options.resetLink, [("{uid}", UID.text(profile.number, options)), ("{token}", code.revealedText)])
                }, caller: caller)
        }
    }
}
