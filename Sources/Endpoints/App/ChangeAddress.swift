import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/me/email`: has a link sent to an address that makes it the signed-in user's. The sign-in must be a recent one, or the body has
    /// the password. The answer is the same when somebody has the address.
    struct RequestAddress: Endpoint {
        static let method = Method.post
        static let path = "/auth/me/email"
        static let accepts = AcceptedContent.json

        let services: Services
        let options: Options
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let user = try await bearer.authenticate(request, for: .change)
            var body = try JSONBody(request)
            let email = body.fields.string("email")
            let password = body.fields.optionalString("password").map { SecretString($0) }
            let issues = body.issues + Accounts.objections(signInEmail: email, password: password).map { Issue($0) }
            guard issues.isEmpty, let email else { throw .invalidInput(issues) }
            let template = options.addressLink
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.requestAddressChange(
                    of: user.userID, in: user.sessionID, password: password, to: email,
                    link: { code in LinkTemplate.filled(template, [("{code}", code.revealedText)]) }, caller: Caller(request))
            }
            return MailAccepted.response
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Have a mail sent that gives the user another address",
                details:
                    "The answer is the same, after the same time, whether or not somebody has the address. A proved address of the user's is "
                    + "told at once.",
                security: [BearerUser.scheme],
                body: .required(
                    .object([
                        .required("email", .email),
                        .optional("password", .password.orNull.described("The user's. Not needed shortly after signing in.")),
                    ])),
                responses: [
                    MailAccepted.documented, Failure.invalidInputDocumented, Failure.recentSignInDocumented,
                    Failure.documented(.unauthorized, "Invalid email or password", "The password is wrong."),
                    Failure.limitedDocumented,
                ] + BearerUser.refusals)
        }
    }

    /// `POST /auth/email/confirm`: puts a new address in the place of the one before, by the code of the mail to it.
    struct ConfirmAddress: Endpoint {
        static let method = Method.post
        static let path = "/auth/email/confirm"
        static let accepts = AcceptedContent.json

        let services: Services

        func answer(_ request: Request) async throws(Failure) -> Response {
            let code = try MailedCode.whole(request)
            let change = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.changeAddress(code: code, caller: Caller(request))
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("email", change.user.email?.typed ?? "")
            if let code = change.resetCode { writer.member("password_code", code.revealedText) }
            writer.endObject()
            return .appJSON(.ok, writer)
        }

        private static let schema = Schema.object([
            .required("email", .email.described("The address of the account from now on.")),
            .optional(
                "password_code",
                .string.described(
                    "For `POST /auth/password/reset/confirm`. Only where the account has lost its password, because its address had never been proved."
                )),
        ]).named("AddressChanged")

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Give the user another address by the code of a mail",
                body: .required(.object([MailedCode.member])),
                responses: [
                    .json(.ok, "The address is changed. All sessions are over but the one that has asked for it.", schema),
                    Failure.invalidInputDocumented, Failure.invalidCodeDocumented,
                    Failure.documented(.badRequest, "Email already exists", "Somebody else has the address by now."),
                    Failure.limitedDocumented,
                ])
        }
    }
}
