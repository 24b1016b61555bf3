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
            guard let session = try await visit.session() else { return SignOutView.done(visit.words) }
            return SignOutView.question(visit, session)
        }

        static var documentation: RouteDocumentation {
            document("The page that asks whether to sign out", pageDocumented)
        }
    }

    /// `POST /sign-out`: ends the session of the browser with everything that clients got from it.
    struct SignOut: Endpoint {
        static let method = Method.post
        static let path = "/sign-out"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let form = try visit.form()
            guard let current = try await visit.session() else { return SignOutView.done(visit.words) }
            // One of another session, of a page that was open before: to be asked again does no harm.
            guard visit.isOwn(form, in: current) else { return SignOutView.question(visit, current, .formIsOld) }
            let session = current.session
            let caller = visit.caller
            try await deciding { () throws(IdentityError) in
                try await parts.services.sessions.end(session.id, of: session.userID, reason: .signedOut, caller: caller)
            }
            var fields: ResponseFields = [:]
            fields.append(parts.browser.deletion)
            return SignOutView.done(visit.words, fields)
        }

        static var documentation: RouteDocumentation {
            document("Sign out by the button", form: [], pageDocumented)
        }
    }
}

enum SignOutView {
    static func question(_ visit: Visit, _ session: CookieSession, _ problem: SignInText? = nil) -> Response {
        let words = visit.words
        var page = Page(title: words[.signOut], language: words.language, look: words.look, hidesAddress: false)
        if let problem { page.alert(words[problem]) }
        page.paragraph(words[.signOutText, ("email", session.session.username ?? "")])
        var form = PageForm(visit, to: "/sign-out", token: session.formToken.text)
        form.button(words[.signOutButton], id: "submit")
        page.append(form.html)
        page.append("<a class=\"button\" href=\"\(visit.base)/account\">\(words[.signOutStay])</a>")
        return page.response(problem == nil ? .ok : .forbidden)
    }

    static func done(_ words: SignInWords, _ fields: ResponseFields = [:]) -> Response {
        var page = Page(title: words[.signedOut], language: words.language, look: words.look, hidesAddress: false)
        page.paragraph(words[.signedOutText])
        return page.response(.ok, fields: fields)
    }
}
