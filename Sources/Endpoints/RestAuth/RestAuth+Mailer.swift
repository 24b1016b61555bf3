import HTTP
package import Identity
import Text

extension RestAuth {
    /// Asks for mails in this API's words: with links as the team's site has them, in the language of the request.
    struct Mailer: Sendable {
        private let confirmations: Confirmations
        private let options: Options

        init(_ services: Services, _ api: Parts) {
            confirmations = services.confirmations
            options = api.options
        }

        func requestReset(_ email: String, _ request: Request, _ words: Words) async throws(Failure) {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.requestPasswordReset(
                    email: email, language: words.language.ofMails, link: resetLink, caller: Caller(request))
            }
        }

        /// Signs up behind an answer that says nothing of the address.
        func signUp(
            _ signUp: Accounts.SignUp, client: Client, _ permit: SignUpPermit, _ request: Request, _ words: Words
        ) async throws(Failure) {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.signUp(
                    signUp, client: client, permit: permit, language: words.language.ofMails,
                    links: SignUpLinks(verification: verificationLink, reset: resetLink),
                    caller: Caller(request))
            }
        }

        private var verificationLink: Confirmations.Link {
            let template = options.verificationLink
            return .withCode { code in LinkTemplate.filled(template, [("{key}", code.revealedText)]) }
        }

        private var resetLink: Confirmations.Link {
            let options = options
            return .withProfile { profile, code in
                LinkTemplate.filled(
                    options.resetLink, [("{uid}", UID.text(profile.number, options)), ("{token}", code.revealedText)])
            }
        }

        func requestVerification(_ email: String, _ request: Request, _ words: Words) async throws(Failure) {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.requestVerification(
                    email: email, language: words.language.ofMails, link: verificationLink,
                    caller: Caller(request))
            }
        }

        /// Of an account that has been made just now.
        func requestVerification(of user: User, _ request: Request, _ words: Words) async throws(Failure) {
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await confirmations.requestVerification(
                    of: user, isNew: true, language: words.language.ofMails, link: verificationLink, caller: Caller(request))
            }
        }
    }

    /// The links of mails that operators have sent.
    package enum OperatorMails {
        /// Where a user sets a new password.
        package static func resetLink(_ options: Options) -> Confirmations.Link {
            .withProfile { profile, code in
                LinkTemplate.filled(
                    options.resetLink, [("{uid}", UID.text(profile.number, options)), ("{token}", code.revealedText)])
            }
        }
    }

    /// A user's number as links have it: base64url in 0.9.5, base 36 in 7.x with allauth.
    enum UID {
        static func text(_ number: Int64, _ options: Options) -> String {
            switch options.dialect {
            case .djangoRestAuth: Base64URL.encode(Array(String(number).utf8))
            case .djRestAuth: String(number, radix: 36)
            }
        }

        static func number(_ text: String, _ options: Options) -> Int64? {
            switch options.dialect {
            case .djangoRestAuth: Base64URL.decode(text).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            case .djRestAuth: Int64(text, radix: 36)
            }
        }
    }
}
