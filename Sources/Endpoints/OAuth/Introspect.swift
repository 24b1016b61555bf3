import HTTP
import Identity

/// `POST /oauth2/introspect` (RFC 7662 §2): authenticate the client, read the form, ask, write.
struct Introspect: Sendable {
    let services: Services
    let authentication: ClientAuthentication

    func answer(_ request: Request) async throws(OAuthError) -> Response {
        let form = try TokenForm(request)
        let client = try await authentication.confidential(request, form.fields)
        let token = try form.token()
        do throws(IdentityError) {
            return .json(.ok, try await services.introspection.answer(token, for: client), fields: .notStored)
        } catch {
            throw OAuthError(error)
        }
    }
}
