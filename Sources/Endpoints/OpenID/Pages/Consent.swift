import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /consent`: what a client asks for.
    struct ShowConsent: Endpoint {
        static let method = Method.get
        static let path = "/consent"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (destination, purpose) = try await parts.start(visit.query, &visit)
            guard let request = purpose.request else { throw .badLink }
            let session = try await visit.needsSession(destination)
            return await ConsentView(request: request, destination: destination, session: session).response(.ok, visit)
        }

        static var documentation: RouteDocumentation {
            document(
                "The page that asks whether a client may have what it asks for", parameters: [continueParameter], pageDocumented,
                signInDocumented)
        }
    }

    /// `POST /consent`: what the user has decided. The authorization endpoint goes on from there; a refusal goes to the client at once.
    struct Consent: Endpoint {
        static let method = Method.post
        static let path = "/consent"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let form = try visit.form()
            let (destination, purpose) = try await parts.start(form, &visit)
            guard let request = purpose.request else { throw .badLink }
            let session = try await visit.needsSession(destination)
            guard visit.isOwn(form, in: session) else {
                // Somebody else has signed in meanwhile, perhaps in another tab.
                return await ConsentView(request: request, destination: destination, session: session, problem: .formIsOld)
                    .response(.forbidden, visit)
            }
            switch form.value("decision") {
            case "allow":
                let caller = visit.caller
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await parts.services.authorization.consents.grant(
                        request.scopesForConsent, to: request.client.id, by: session.session.userID, in: session.session.id,
                        caller: caller)
                }
                return visit.goOn(to: destination.text)
            case "deny":
                return AuthorizationResponse.make(
                    [("error", "access_denied"), ("error_description", "The user has not agreed to this.")],
                    to: AuthorizationCheck.Return(request), issuer: parts.services.authorization.issuer, visit.words)
            default: throw .badRequest
            }
        }

        static var documentation: RouteDocumentation {
            document(
                "Agree to what a client asks for, or not", form: [.required("decision", .string), continueMember],
                goesOnDocumented, .text(.ok, "A page that posts the refusal to the client.", type: "text/html"), signInDocumented)
        }
    }
}

/// The consent page.
struct ConsentView {
    let request: AuthorizationRequest
    let destination: Destination
    let session: CookieSession
    var problem: SignInText?

    func response(_ status: Status, _ visit: Visit) async -> Response {
        let (words, client) = (visit.words, request.client)
        var page = Page(
            title: words[.consent, ("client", client.name)], language: words.language, look: words.look, hidesAddress: false)
        if let problem { page.alert(words[problem]) }
        if let logo = client.presentation.logo { page.picture(logo, alternative: "", kind: "client") }
        page.paragraph(words[.consentAsks, ("email", await visit.name(of: session)), ("client", client.name)])
        page.append(ConsentView.scopes(request.scopesForConsent, words))
        page.append(
            "<p class=\"soft\">\(words[.consentTake]) \(words[.consentHost, ("host", Self.host(of: request.redirectURI))])</p>")
        var form = PageForm(visit, to: "/consent", token: session.formToken.text, destination: destination)
        form.decision(words)
        page.append(form.html)
        page.append(links(visit))
        return page.response(status)
    }

    /// What scopes let a client do, as a list.
    static func scopes(_ names: [String], _ words: SignInWords) -> Markup {
        var items: Markup = ""
        for name in names { items += "<li><span>\(words.scope(name))</span></li>" }
        return "<ul class=\"scopes\">\(items)</ul>"
    }

    private func links(_ visit: Visit) -> Markup {
        let (words, presentation) = (visit.words, request.client.presentation)
        var links: Markup =
            "<p class=\"links\"><a href=\"\(visit.base)\(destination.location(via: "/sign-in"))\">\(words[.consentOther])</a>"
        for (url, text) in [(presentation.policy, SignInText.clientPolicy), (presentation.terms, .clientTerms)] {
            if let url, WebOrigin(ofURL: url) != nil { links += "<br><a href=\"\(url)\" rel=\"noreferrer\">\(words[text])</a>" }
        }
        return links + "</p>"
    }

    /// Where the browser goes, as people may know it; for an app of its own scheme, that.
    private static func host(of uri: String) -> String {
        WebOrigin(ofURL: uri)?.text.replacing("https://", with: "") ?? String(uri.prefix { $0 != ":" })
    }
}
