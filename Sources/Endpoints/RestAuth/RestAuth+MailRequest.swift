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
