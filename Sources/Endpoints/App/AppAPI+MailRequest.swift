import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// An endpoint that has a mail sent to an address. It answers the same, after the same time, whether or not there is anybody to send it to.
    protocol MailRequest: Endpoint {
        static var summary: String { get }
        static var details: String { get }

        func ask(_ email: String, _ request: Request) async throws(Failure)
    }
}

extension AppAPI.MailRequest {
    static var method: Method { .post }
    static var accepts: AcceptedContent { .json }

    func answer(_ request: Request) async throws(AppAPI.Failure) -> Response {
        var body = try AppAPI.JSONBody(request)
        let email = body.fields.string("email")
        let issues = body.issues + Accounts.objections(signInEmail: email, password: nil).map { AppAPI.Issue($0) }
        guard issues.isEmpty, let email else { throw .invalidInput(issues) }
        try await ask(email, request)
        return AppAPI.MailAccepted.response
    }

    static var documentation: RouteDocumentation {
        RouteDocumentation(
            summary, details: details, body: .required(.object([.required("email", .email)])),
            responses: [AppAPI.MailAccepted.documented, AppAPI.Failure.invalidInputDocumented, AppAPI.Failure.limitedDocumented])
    }
}

extension AppAPI {
    /// What is answered where the mail says the rest: 202 and `{"status":"accepted"}`.
    enum MailAccepted {
        static var response: Response {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("status", "accepted")
            writer.endObject()
            return .appJSON(.accepted, writer)
        }

        static let schema = Schema.object([.required("status", .constant("accepted"))]).named("MailAccepted")

        static let documented = DocumentedResponse.json(
            .accepted, "The same for every address. What there is to say is in the mail.", schema)
    }

    /// `POST /auth/password/reset`: has a link sent under which a new password can be set.
    struct RequestPasswordReset: MailRequest {
        static let path = "/auth/password/reset"
        static let summary = "Have a mail sent with which a new password can be set"
        static let details = "The answer is the same, after the same time, whether or not the address has an account."

        let mailer: Mailer

        func ask(_ email: String, _ request: Request) async throws(Failure) {
            try await mailer.requestReset(email, request)
        }
    }

    /// `POST /auth/email/verification`: has the mail sent (once more) that confirms the address of an account.
    struct RequestVerification: MailRequest {
        static let path = "/auth/email/verification"
        static let summary = "Have a mail sent that confirms an address"
        static let details =
            "A mail goes to the address of an account that is not confirmed yet. The answer is the same, after the same time, for all others."

        let mailer: Mailer

        func ask(_ email: String, _ request: Request) async throws(Failure) {
            try await mailer.requestVerification(email, request)
        }
    }
}
