import HTTP
import Identity
import Routing

extension RestAuth {
    /// `POST registration/verify-email/`: notes that an address is its user's, by the code of a mail.
    struct VerifyEmail: Endpoint {
        let path = "/registration/verify-email/"

        let services: Services

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            var fields = try Fields(request)
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

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Prove an e-mail address with the code of a mail", body: .required(.object([.required("key", .string)])),
                responses: [
                    Failure.done("ok"), Failure.fieldsDocumented(),
                    Failure.documented(.notFound, "The code is none, or no longer one."), Failure.limitedDocumented,
                ])
        }
    }
}
