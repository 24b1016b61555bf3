import HTTP
import Identity
import Routing

/// `POST registration/verify-email/`: notes that an address is its user's, by the code of a mail (contract §3.7).
struct RestAuthVerifyEmail: RestAuthEndpoint {
    let path = "/registration/verify-email/"

    let services: Services

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        var fields = try RestAuthFields(request)
        let key = fields.secret("key")
        try fields.check()
        do throws(IdentityError) {
            if let key { try await services.confirmations.verifyEmail(code: key, caller: Caller(request)) }
        } catch .invalidCode {
            throw .request(.notFound)
        } catch {
            throw .identity(error)
        }
        return words.response(.ok, detail: .ok)
    }
}

extension RestAuthVerifyEmail {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Prove an e-mail address with the code of a mail", body: .required(.object([.required("key", .string)])),
            responses: [
                RestAuthError.done("ok"), RestAuthError.fieldsDocumented(),
                RestAuthError.documented(.notFound, "The code is none, or no longer one."), RestAuthError.limitedDocumented,
            ])
    }
}
