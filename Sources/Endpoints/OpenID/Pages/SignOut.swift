import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /sign-out`: asks.
    struct ShowSignOut: Endpoint {
        static let method = Method.get
        static let path = "/sign-out"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard let session = try await visit.sessionToSignOut() else { return SignOutView.done(visit) }
            return await SignOutView.question(visit, session, nil)
        }

        static var documentation: RouteDocumentation {
            document("The page that asks whether to sign out", pageDocumented)
        }
    }

    /// `POST /sign-out`: ends the session of the browser with everything that clients got from it. What they keep for when nobody is there
    /// (`offline_access`) is taken back on the account page.
    struct SignOut: Endpoint {
        static let method = Method.post
        static let path = "/sign-out"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let form = try visit.form()
            let request = try await LogoutRequest(form, parts)
            guard let current = try await visit.sessionToSignOut() else { return try await parts.signOut(nil, request, visit) }
            // One of another session, of a page that was open before: to be asked again does no harm.
            guard visit.isOwn(form, in: current) else {
                return await SignOutView.question(visit, current, request, .formIsOld)
            }
            return try await parts.signOut(current.session, request, visit)
        }

        static var documentation: RouteDocumentation {
            document(
                "Sign out by the button",
                form: [
                    .optional("client_id", .string), .optional("post_logout_redirect_uri", .string), .optional("state", .string),
                ], pageDocumented, .empty(.seeOther, "The user is signed out; `Location` is the client's."))
        }
    }

    /// `GET /oauth2/logout` (OpenID Connect RP-Initiated Logout 1.0 §2): signs out at once who is named by an id token, asks everybody else, and leads
    /// back to the client where that is registered.
    struct EndSessionRequest: Endpoint {
        static let method = Method.get
        static let path = "/oauth2/logout"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard let query = try? FormFields(parsing: visit.request.head.queryBytes) else { throw .badRequest }
            if let language = query.value("ui_locales").flatMap({ AcceptedLanguage(locales: $0) }) {
                visit.words = SignInWords(language: language, look: visit.words.look)
            }
            let request = try await LogoutRequest(query, parts)
            guard let current = try await visit.sessionToSignOut() else { return try await parts.signOut(nil, request, visit) }
            guard request.hint?.userID == current.session.userID else {
                return await SignOutView.question(visit, current, request)
            }
            return try await parts.signOut(current.session, request, visit)
        }

        static let parameters: [(name: String, meaning: String)] = [
            ("id_token_hint", "Of the user who is to be signed out; it may have expired."),
            ("client_id", "The client, if there is no hint."),
            ("post_logout_redirect_uri", "Where to go on: one that the client has registered."),
            ("state", "Comes back to the client."), ("logout_hint", "Not looked at."),
            ("ui_locales", "The languages of the page."),
        ]

        static var documentation: RouteDocumentation {
            document(
                "Sign a user out for a client (OpenID Connect RP-Initiated Logout 1.0)",
                parameters: parameters.map { .query($0.name, .string, $0.meaning) }, pageDocumented,
                .empty(.seeOther, "The user is signed out; `Location` is the client's."))
        }
    }

    /// `POST /oauth2/logout`: the same. A form of a client's page brings no cookie along, so it becomes a `GET`, which does.
    struct PostedEndSessionRequest: Endpoint {
        static let method = Method.post
        static let path = EndSessionRequest.path

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard let form = try? FormFields(parsing: visit.request.body) else { throw .badRequest }
            let known = Set(EndSessionRequest.parameters.map(\.name))
            let fields = form.pairs.filter { known.contains($0.name) }
            return visit.goOn(to: "\(Self.path)?\(PercentEncoding.encode(fields: fields))")
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign a user out for a client, by a form",
                body: .optional(.object(EndSessionRequest.parameters.map { .optional($0.name, .string) })),
                responses: [
                    .empty(.seeOther, "`Location` is the same as a `GET`."),
                    .text(.badRequest, "A page: the form cannot be read.", type: "text/html"),
                ])
        }
    }
}

/// A client's request that a user be signed out, checked.
struct LogoutRequest: Sendable {
    /// Of an id token of ours; nil for none, and for anything else.
    let hint: LogoutHint?
    let client: Client?
    /// One that the client has registered.
    let redirectURI: String?
    let state: String?

    /// - Throws: `badLink` for a client that is not the hint's, and for a redirect URI that nobody has registered: nobody is sent there.
    init(_ fields: FormFields, _ parts: SignInPages.Parts) async throws(SignInPages.Failure) {
        let services = parts.services
        func value(_ name: StaticString) -> String? { fields.value(name).flatMap { $0.isEmpty ? nil : $0 } }
        let token = value("id_token_hint")
        hint = try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
            try token.flatMap { token throws(IdentityError) in
                try LogoutHint(token, issuer: services.authorization.issuer, keys: services.keys)
            }
        }
        let named = value("client_id")
        if let named, let hint, named != hint.clientID { throw .badLink }
        let id = named ?? hint?.clientID
        client = try await SignInPages.Failure.mapIdentityErrors { () async throws(IdentityError) -> Client? in
            guard let id else { return nil }
            return try await services.clients.known(id)
        }
        redirectURI = value("post_logout_redirect_uri")
        state = value("state")
        if let redirectURI, let client, !client.allowsPostLogoutRedirect(to: redirectURI) { throw .badLink }
        if redirectURI != nil, client == nil, named != nil || hint != nil { throw .badLink }
    }

    /// Where to go on: nowhere if nobody can tell whose address it is.
    var location: String? {
        guard let redirectURI, client != nil else { return nil }
        guard let state else { return redirectURI }
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + "state=" + PercentEncoding.encode(state)
    }
}

extension SignInPages.Parts {
    /// Ends the sessions of a user in the browser: of whom its cookie names, or an id token if the cookie is lost. Has their clients told by their own
    /// pages (OpenID Connect Front-Channel Logout 1.0 §2), and goes on.
    func signOut(_ session: Session?, _ request: LogoutRequest, _ visit: Visit) async throws(SignInPages.Failure) -> Response {
        var fields: ResponseFields = [:]
        var frames: [String] = []
        if let userID = session?.userID ?? request.hint?.userID {
            let ended = try await SignInPages.Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.signOut(userID, in: visit.secret.binding, last: session, caller: visit.caller)
            }
            for session in ended { frames += await frontChannelPages(of: session) }
            fields.append(browser.deletion)
        }
        guard frames.isEmpty, let location = request.location else {
            return SignOutView.done(visit, request, frames: frames, fields)
        }
        fields.append("Location", location)
        fields.append("Cache-Control", "no-store")
        fields.append("Referrer-Policy", "no-referrer")
        return .empty(.seeOther, fields: fields)
    }

    private func frontChannelPages(of session: Session) async -> [String] {
        var pages: [String] = []
        for id in Set(session.grants.map(\.clientID.text)).sorted() {
            guard let logout = (try? await services.clients.client(id))?.client.frontChannelLogout else { continue }
            let query = PercentEncoding.encode(fields: [("iss", services.authorization.issuer), ("sid", session.id.text)])
            pages.append(logout.uri + (logout.uri.contains("?") ? "&" : "?") + query)
        }
        return pages
    }
}

/// The pages of signing out.
enum SignOutView {
    /// How long clients' pages have to load before the browser goes on.
    private static let patience = 3

    static func question(
        _ visit: Visit, _ session: CookieSession, _ request: LogoutRequest?, _ problem: SignInText? = nil
    ) async -> Response {
        let words = visit.words
        var page = Page(title: words[.signOut], language: words.language, look: words.look, hidesAddress: false)
        if let problem { page.alert(words[problem]) }
        page.paragraph(words[.signOutText, ("email", await visit.name(of: session))])
        var form = PageForm(visit, to: "/sign-out", token: session.formToken.text)
        if let client = request?.client { form.hidden("client_id", client.id.text) }
        if request?.location != nil, let uri = request?.redirectURI { form.hidden("post_logout_redirect_uri", uri) }
        if let state = request?.state { form.hidden("state", state) }
        form.button(words[.signOutButton], id: "submit")
        page.append(form.html)
        page.append("<a class=\"button\" href=\"\(visit.base)/account\">\(words[.signOutStay])</a>")
        return page.response(problem == nil ? .ok : .forbidden)
    }

    static func done(
        _ visit: Visit, _ request: LogoutRequest? = nil, frames: [String] = [], _ fields: ResponseFields = [:]
    ) -> Response {
        let words = visit.words
        var page = Page(title: words[.signedOut], language: words.language, look: words.look, hidesAddress: false)
        page.paragraph(words[.signedOutText])
        if let location = request?.location, let client = request?.client {
            page.append("<a class=\"button main\" href=\"\(location)\">\(words[.goOnTo, ("client", client.name)])</a>")
            if !frames.isEmpty { page.goOn(to: location, after: patience) }
        } else {
            page.append("<a class=\"button\" href=\"\(visit.base)/sign-in\">\(words[.signInButton])</a>")
        }
        for frame in frames { page.frame(frame) }
        return page.response(.ok, fields: fields)
    }
}
