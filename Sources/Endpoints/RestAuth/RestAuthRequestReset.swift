import HTTP
import Identity

/// `POST password/reset/`: has a link sent under which a new password can be set (contract §3.5). The answer is the same for known and
/// unknown addresses, and takes as long.
struct RestAuthRequestReset: RestAuthEndpoint {
    let path = "/password/reset/"

    let services: Services
    let mailer: RestAuthMailer

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        var fields = try RestAuthFields(request)
        let email = fields.email("email")
        try fields.check()
        if let email { try await mailer.requestReset(email, request, words) }
        return words.response(.ok, detail: .resetSent)
    }
}

extension RestAuthRequestReset {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Have a mail sent with which a new password can be set",
            body: .required(.object([.required("email", .email)])),
            responses: [
                RestAuthError.done("Password reset e-mail has been sent."), RestAuthError.fieldsDocumented(),
                RestAuthError.limitedDocumented,
            ])
    }
}
