import HTTP
import Identity
import Routing

/// For what somebody is on a sign-in page, as far as that can be told: to show it, and nothing more. The authorization endpoint checks all of it
/// when the browser comes back.
struct SignInPurpose: Sendable {
    /// Of a client that waits, if its request is right.
    var request: AuthorizationRequest?

    var clientName: String? { request?.client.name }

    var loginHint: String? {
        request?.loginHint.flatMap { $0.utf8.count <= EmailAddress.maximumLength ? $0 : nil }
    }
}

extension SignInPages.Parts {
    /// Where a page leads and for what somebody is on it, as its query or its form says.
    /// - Throws: `badLink`; as `purpose`.
    func start(
        _ fields: FormFields?, _ visit: inout Visit
    ) async throws(SignInPages.Failure) -> (destination: Destination, purpose: SignInPurpose) {
        let destination = try visit.destination(fields)
        return (destination, try await purpose(of: destination, &visit))
    }

    /// Also puts the texts into the language that the client has asked for (OpenID Connect Core 1.0 §3.1.2.1, `ui_locales`).
    func purpose(of destination: Destination, _ visit: inout Visit) async throws(SignInPages.Failure) -> SignInPurpose {
        guard destination.isAuthorization else { return SignInPurpose() }
        let request = try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
            try await AuthorizationReader(services: services).request(of: destination)
        }
        if let language = request.flatMap({ AcceptedLanguage(locales: $0.uiLocales.joined(separator: " ")) }) {
            visit.words = SignInWords(language: language, look: visit.words.look)
        }
        return SignInPurpose(request: request)
    }
}
