import HTTP
import Identity
import Text

extension AppAPI {
    /// Asks for mails in the app API's way: with links to the team's page or to ours, in the language of the request.
    struct Mailer: Sendable {
        private let confirmations: Confirmations
        private let options: Options

        init(_ services: Services, _ options: Options) {
            confirmations = services.confirmations
            self.options = options
        }

        func requestReset(_ email: String, _ request: Request) async throws(Failure) {
            let (language, caller) = Self.asker(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.requestPasswordReset(email: email, language: language, link: resetLink, caller: caller)
            }
        }

        func requestVerification(_ email: String, _ request: Request) async throws(Failure) {
            let (language, caller) = Self.asker(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.requestVerification(
                    email: email, language: language, link: verificationLink, caller: caller)
            }
        }

        /// Of an account that has been made just now.
        func requestVerification(of user: User, _ request: Request) async throws(IdentityError) {
            let (language, caller) = Self.asker(request)
            try await confirmations.requestVerification(
                of: user, isNew: true, language: language, link: verificationLink, caller: caller)
        }

        /// Signs up behind an answer that says nothing of the address.
        func signUp(_ signUp: Accounts.SignUp, client: Client, _ request: Request) async throws(Failure) {
            let (language, caller) = Self.asker(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.signUp(
                    signUp, client: client, language: language,
                    links: SignUpLinks(verification: verificationLink, reset: resetLink), caller: caller)
            }
        }

        private var resetLink: Confirmations.Link { LinkTemplate.app(options.resetLink) }

        private var verificationLink: Confirmations.Link { LinkTemplate.app(options.verificationLink) }

        private static func asker(_ request: Request) -> (Mail.Language, Caller) {
            (AcceptedLanguage(request.head).ofMails, Caller(request))
        }
    }
}

extension LinkTemplate {
    fileprivate static func app(_ template: String) -> Confirmations.Link {
        .withCode { code in filled(template, [("{code}", code.revealedText)]) }
    }
}
