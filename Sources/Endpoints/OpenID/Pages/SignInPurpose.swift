import HTTP
import Identity
import Routing

/// For what somebody is on a sign-in page, as far as that can be told: to show it, and nothing more. The authorization endpoint checks all of it
/// when the browser comes back.
struct SignInPurpose: Sendable {
    var clientName: String?
    var loginHint: String?
}

extension SignInPages.Parts {
    /// Also puts the texts into the language that the client has asked for (OpenID Connect Core 1.0 §3.1.2.1, `ui_locales`).
    func purpose(of destination: Destination, _ visit: inout Visit) async throws(SignInPages.Failure) -> SignInPurpose {
        var purpose = SignInPurpose()
        guard destination.isAuthorization, let query = destination.fields else { return purpose }
        if let language = query.value("ui_locales").flatMap({ AcceptedLanguage(locales: $0) }) {
            visit.words = SignInWords(language: language, look: visit.words.look)
        }
        if let hint = query.value("login_hint"), hint.utf8.count <= EmailAddress.maximumLength { purpose.loginHint = hint }
        if let id = query.value("client_id") {
            purpose.clientName = (try? await services.clients.client(id))?.client.name
        }
        return purpose
    }
}
