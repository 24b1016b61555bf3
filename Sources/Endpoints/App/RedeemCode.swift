import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/password/reset/confirm`: sets a new password by the code of a mail. All sessions of the user end.
    struct ResetPassword: Endpoint {
        static let method = Method.post
        static let path = "/auth/password/reset/confirm"
        static let accepts = AcceptedContent.json

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            var body = try JSONBody(request)
            let code = body.fields.string("code").map { SecretString($0) }
            let password = body.fields.string("password").map { SecretString($0) }
            let issues = body.issues + Accounts.objections(email: nil, password: password, displayName: nil).map { Issue($0) }
            guard issues.isEmpty, let code, let password else { throw .invalidInput(issues) }
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.resetPassword(code: code, to: password, caller: Caller(request))
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Set a new password by the code of a mail",
                body: .required(
                    .object([
                        MailedCode.member, .required("password", .password.with("minLength", 8)),
                    ])),
                responses: [
                    .empty(.noContent, "The password is in force and all sessions are over."), Failure.invalidInputDocumented,
                    Failure.invalidCodeDocumented, Failure.limitedDocumented,
                ])
        }
    }

    /// `POST /auth/email/verification/confirm`: notes that an address is its user's, by the code of a mail.
    struct VerifyEmail: Endpoint {
        static let method = Method.post
        static let path = "/auth/email/verification/confirm"
        static let accepts = AcceptedContent.json

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            let code = try MailedCode.whole(request)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.verifyEmail(code: code, caller: Caller(request))
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Confirm an address by the code of a mail",
                body: .required(.object([MailedCode.member])),
                responses: [
                    .empty(.noContent, "The address is confirmed."), Failure.invalidInputDocumented,
                    Failure.invalidCodeDocumented, Failure.limitedDocumented,
                ])
        }
    }

    /// The code of a mail in a JSON body.
    enum MailedCode {
        static let member = Schema.Member.required("code", .string.described("What the link of the mail has as `code`."))

        /// Of a body that has nothing else.
        static func whole(_ request: Request) throws(Failure) -> SecretString {
            var body = try JSONBody(request)
            let code = body.fields.string("code").map { SecretString($0) }
            guard body.fields.isClean, let code else { throw .invalidInput(body.issues) }
            return code
        }
    }
}
