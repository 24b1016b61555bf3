import HTTP
import Identity
import Routing

/// An endpoint that has a mail sent to an address, and answers the same whether or not there is anybody to send it to.
protocol RestAuthMailRequest: RestAuthEndpoint {
    static var summary: String { get }
    /// What is answered, and how it reads in English.
    static var sent: (text: RestAuthText, english: String) { get }

    func ask(_ email: String, _ request: Request, _ words: RestAuthWords) async throws(RestAuthError)
}

extension RestAuthMailRequest {
    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        var fields = try RestAuthFields(request)
        let email = fields.email("email")
        try fields.check()
        if let email { try await ask(email, request, words) }
        return words.response(.ok, detail: Self.sent.text)
    }

    var documentation: RouteDocumentation {
        RouteDocumentation(
            Self.summary, body: .required(.object([.required("email", .email)])),
            responses: [
                RestAuthError.done(Self.sent.english), RestAuthError.fieldsDocumented(), RestAuthError.limitedDocumented,
            ])
    }
}
