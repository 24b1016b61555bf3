import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /sign-in`.
    struct ShowSignIn: Endpoint {
        static let method = Method.get
        static let path = "/sign-in"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (destination, purpose) = try await parts.start(visit.query, &visit)
            var view = SignInView(
                parts: parts, purpose: purpose, destination: destination, email: purpose.loginHint ?? "", signedInAs: nil)
            if let session = try await visit.session() { view.signedInAs = await visit.name(of: session) }
            return view.response(.ok, visit)
        }

        static var documentation: RouteDocumentation {
            document("The form with which somebody signs in", parameters: [continueParameter], pageDocumented)
        }
    }

    /// `POST /sign-in`: begins a session of the browser, always a new one; its cookie takes the place of the one before.
    struct SignIn: Endpoint {
        static let method = Method.post
        static let path = "/sign-in"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let form = try visit.form()
            let (destination, purpose) = try await parts.start(form, &visit)
            var view = SignInView(
                parts: parts, purpose: purpose, destination: destination, email: form.value("email") ?? "", signedInAs: nil)
            view.isRemembered = form.value("remember") != nil
            guard visit.isOwn(form) else { return view.notOwn(visit) }
            guard !view.email.isEmpty else {
                view.fault = (parts.options.takesUsernames ? .identifierMissing : .emailMissing, nil)
                return view.response(.badRequest, visit)
            }
            guard let password = form.secret("password"), !password.isEmpty else {
                view.fault = (nil, .passwordMissing)
                return view.response(.badRequest, visit)
            }
            return try await signIn(view, password, visit)
        }

        private func signIn(
            _ form: SignInView, _ password: SecretString, _ visit: Visit
        ) async throws(Failure) -> Response {
            var view = form
            let (identifier, takesUsernames) = (form.email.trimmedOfSpaces, parts.options.takesUsernames)
            do throws(IdentityError) {
                let authentication = try await parts.services.accounts.authenticate(
                    password: SignInAttempt(
                        takesUsernames ? .usernameOrEmail(identifier) : .email(identifier), passwords: [password]),
                    client: parts.services.app, caller: visit.caller
                ).completed()
                return try await parts.signIn(
                    authentication, isRemembered: form.isRemembered, for: form.purpose, form.destination, visit)
            } catch .invalidCredentials, .user(.invalidInput), .userDisabled {
                view.problem = takesUsernames ? .wrongIdentifier : .wrongCredentials
                return view.response(.badRequest, visit)
            } catch .service(.tooManyRequests(let delay)) {
                return view.tooMany(retryAfter: delay, visit)
            } catch {
                throw .identity(error)
            }
        }

        static var documentation: RouteDocumentation {
            document(
                "Sign in by the form",
                form: [
                    .required("email", .string), .required("password", .password), .optional("remember", .string), continueMember,
                ], goesOnDocumented)
        }
    }
}

extension Visit {
    /// After a sign-in.
    func goOn(to destination: Destination, with cookies: [SetCookie]) -> Response {
        var fields: ResponseFields = [:]
        for cookie in cookies { fields.append(cookie) }
        // Browsers keep whole pages for the way back, and with them what was typed there.
        fields.append("Clear-Site-Data", "\"cache\"")
        return goOn(to: destination.text, fields: fields)
    }
}

extension String {
    /// Without spaces around it, which telephones put behind a completed word.
    var trimmedOfSpaces: String {
        let isSpace = { (character: Character) in character == " " || character == "\u{3000}" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

/// The sign-in page.
struct SignInView: FormView {
    let parts: SignInPages.Parts
    let purpose: SignInPurpose
    let destination: Destination
    let email: String
    var signedInAs: String?
    var isRemembered = false
    var problem: SignInText?
    var providerProblem: (text: SignInText, provider: String)?
    var fault: (email: SignInText?, password: SignInText?)?

    func response(_ status: Status, _ visit: Visit, _ fields: ResponseFields = [:]) -> Response {
        let (words, takesUsernames) = (visit.words, parts.options.takesUsernames)
        var page = Page(title: words[.signIn], language: words.language, look: words.look, hidesAddress: false)
        if let problem { page.alert(words[problem]) }
        if let providerProblem { page.alert(words[providerProblem.text, ("provider", providerProblem.provider)]) }
        if let client = purpose.clientName { page.append("<p class=\"soft\">\(words[.signInFor, ("client", client)])</p>") }
        if let signedInAs { page.append("<p class=\"soft\">\(words[.signedInAs, ("email", signedInAs)])</p>") }
        var form = PageForm(visit, to: "/sign-in", token: visit.secret.formToken, destination: destination)
        form.field(
            PageForm.Field(
                name: "email", label: words[takesUsernames ? .identifier : .email], type: takesUsernames ? .name : .email,
                autocomplete: "username webauthn", value: email, fault: fault?.email.map { words[$0] }, hasFocus: email.isEmpty))
        form.field(
            PageForm.Field(
                name: "password", label: words[.password], type: .password, autocomplete: "current-password",
                fault: fault?.password.map { words[$0] }, hasFocus: !email.isEmpty))
        form.check("remember", words[.remember], isOn: isRemembered)
        form.button(words[.signInButton], id: "submit")
        page.append(form.html)
        ProviderButtons.append(to: &page, parts, destination, visit)
        page.append(
            "<p class=\"links\"><a href=\"\(visit.base)\(destination.location(via: "/forgot-password"))\">\(words[.forgotPassword])</a></p>"
        )
        if parts.options.offersSignUp {
            page.append(
                "<p>\(words[.newHere]) <a href=\"\(visit.base)\(destination.location(via: "/sign-up"))\">\(words[.createAccount])</a></p>"
            )
        }
        return page.response(status, fields: fields)
    }
}
