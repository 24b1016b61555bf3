import HTTP
import Identity

/// `POST registration/resend-email/`: has the verification mail sent once more (contract §4). The answer does not say whether there was
/// anybody to send it to.
struct RestAuthResendEmail: RestAuthEndpoint {
    let path = "/registration/resend-email/"

    let services: Services
    let mailer: RestAuthMailer

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        var fields = try RestAuthFields(request)
        let email = fields.email("email")
        try fields.check()
        if let email { try await mailer.requestVerification(email, request, words) }
        return words.response(.ok, detail: .ok)
    }
}

extension RestAuthResendEmail {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Have the verification mail sent once more", body: .required(.object([.required("email", .email)])),
            responses: [RestAuthError.done("ok"), RestAuthError.fieldsDocumented(), RestAuthError.limitedDocumented])
    }
}
