import HTTP
import Identity
import Routing

extension RestAuth {
    /// An endpoint that has a mail sent to an address, and answers the same whether or not there is anybody to send it to.
    protocol MailRequest: Endpoint {
        static var summary: String { get }
        /// What is answered, and how it reads in English.
        static var sent: (text: Sentence, english: String) { get }

        func ask(_ email: String, _ request: Request, _ words: Words) async throws(Failure)
    }
}

extension RestAuth.MailRequest {
    func answer(_ request: Request, _ words: RestAuth.Words) async throws(RestAuth.Failure) -> Response {
        var fields = try RestAuth.Fields(request)
        let email = fields.email("email")
        try fields.check()
        if let email { try await ask(email, request, words) }
        return words.response(.ok, detail: Self.sent.text)
    }

    var documentation: RouteDocumentation {
        RouteDocumentation(
            Self.summary, body: .required(.object([.required("email", .email)])),
            responses: [
                RestAuth.Failure.done(Self.sent.english), RestAuth.Failure.fieldsDocumented(), RestAuth.Failure.limitedDocumented,
            ])
    }
}

extension RestAuth {
    /// `POST password/reset/`: has a link sent under which a new password can be set. The answer is the same for known and
    /// unknown addresses, and takes as long.
    struct RequestReset: MailRequest {
        static let summary = "Have a mail sent with which a new password can be set"
        static let sent = (text: Sentence.resetSent, english: "Password reset e-mail has been sent.")

        let path = "/password/reset/"

        let services: Services
        let mailer: Mailer

        func ask(_ email: String, _ request: Request, _ words: Words) async throws(Failure) {
            try await mailer.requestReset(email, request, words)
        }
    }

    /// `POST registration/resend-email/`: has the verification mail sent once more. The answer does not say whether there was
    /// anybody to send it to.
    struct ResendEmail: MailRequest {
        static let summary = "Have the verification mail sent once more"
        static let sent = (text: Sentence.ok, english: "ok")

        let path = "/registration/resend-email/"

        let services: Services
        let mailer: Mailer

        func ask(_ email: String, _ request: Request, _ words: Words) async throws(Failure) {
            try await mailer.requestVerification(email, request, words)
        }
    }
}
