import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /sign-up`.
    struct ShowSignUp: Endpoint {
        static let method = Method.get
        static let path = "/sign-up"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard parts.options.offersSignUp else { throw .notFound }
            let (destination, purpose) = try await parts.start(visit.query, &visit)
            return SignUpView(
                parts: parts, destination: destination, purpose: purpose, email: purpose.loginHint ?? ""
            ).response(.ok, visit)
        }

        static var documentation: RouteDocumentation {
            document(
                "The form with which somebody makes an account", parameters: [continueParameter], pageDocumented,
                .text(.notFound, "A page: nobody makes accounts here.", type: "text/html"))
        }
    }

    /// `POST /sign-up`: makes an account and signs it in; where a sign-up says nothing of addresses, a mail says the rest.
    struct SignUp: Endpoint {
        static let method = Method.post
        static let path = "/sign-up"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            guard parts.options.offersSignUp else { throw .notFound }
            let form = try visit.form()
            let (destination, purpose) = try await parts.start(form, &visit)
            var view = SignUpView(
                parts: parts, destination: destination, purpose: purpose, email: form.value("email")?.trimmedOfSpaces ?? "",
                name: form.value("name") ?? "")
            guard visit.isOwn(form) else { return view.notOwn(visit) }
            let password = form.secret("password") ?? SecretString("")
            view.faults = SignUpView.faults(
                Accounts.objections(email: view.email, password: password, displayName: view.name), visit.words)
            guard view.faults.isEmpty else { return view.response(.badRequest, visit) }
            return try await signUp(view, password, visit)
        }

        private func signUp(_ form: SignUpView, _ password: SecretString, _ visit: Visit) async throws(Failure) -> Response {
            var view = form
            let (services, caller) = (parts.services, visit.caller)
            let request = Accounts.SignUp(
                email: view.email, password: password, displayName: view.name.isEmpty ? nil : view.name)
            do throws(IdentityError) {
                if services.accounts.rules.signsUpByMail {
                    try await services.confirmations.signUp(
                        request, client: services.app, language: visit.words.language.ofMails,
                        links: SignUpLinks(verification: parts.verificationLink, reset: parts.resetLink), caller: caller)
                    return view.mailSent(visit)
                }
                let authentication = try await services.accounts.signUp(request, client: services.app, caller: caller)
                let response = try await parts.signIn(
                    authentication, isRemembered: false, for: view.purpose, view.destination, visit)
                await parts.sendVerification(to: authentication.user, visit)
                return response
            } catch .emailTaken {
                view.faults["email"] = visit.words[.emailTaken]
                return view.response(.conflict, visit)
            } catch .user(.invalidInput(let problems)) {
                view.faults = SignUpView.faults(problems, visit.words)
                return view.response(.badRequest, visit)
            } catch .service(.tooManyRequests(let delay)) {
                return view.tooMany(retryAfter: delay, visit)
            } catch {
                throw .identity(error)
            }
        }

        static var documentation: RouteDocumentation {
            document(
                "Make an account by the form",
                form: [
                    .required("email", .string), .required("password", .password), .optional("name", .string), continueMember,
                ], goesOnDocumented, .text(.ok, "A page: a mail says the rest.", type: "text/html"),
                .text(.conflict, "The form once more: the address has an account.", type: "text/html"),
                .text(.notFound, "A page: nobody makes accounts here.", type: "text/html"))
        }
    }
}

extension SignInPages.Parts {
    var resetLink: Confirmations.Link { link(to: PagePath.password) }

    var verificationLink: Confirmations.Link { link(to: PagePath.email) }

    /// To a page of ours, with a code.
    private func link(to page: String) -> Confirmations.Link {
        let start = options.mailPages + page + "?code="
        return .withCode { code in SecretString(start + code.revealedText) }
    }

    /// The sign-up stands: a mail that cannot be written now can be asked for again.
    func sendVerification(to user: User, _ visit: Visit) async {
        guard options.mailsVerification, !user.emailVerified else { return }
        try? await services.confirmations.requestVerification(
            of: user, isNew: true, language: visit.words.language.ofMails, link: verificationLink, caller: visit.caller)
    }
}

/// The sign-up page.
struct SignUpView: FormView {
    let parts: SignInPages.Parts
    let destination: Destination
    let purpose: SignInPurpose
    let email: String
    var name = ""
    var problem: SignInText?
    /// By the names of the fields.
    var faults: [String: String] = [:]

    func response(_ status: Status, _ visit: Visit, _ fields: ResponseFields = [:]) -> Response {
        let words = visit.words
        var page = Page(title: words[.signUp], language: words.language, look: words.look, hidesAddress: false)
        if let problem { page.alert(words[problem]) }
        if let client = purpose.clientName { page.append("<p class=\"soft\">\(words[.signInFor, ("client", client)])</p>") }
        var form = PageForm(visit, to: "/sign-up", token: visit.secret.formToken, destination: destination)
        form.field(
            PageForm.Field(
                name: "email", label: words[.email], type: .email, autocomplete: "username", value: email, fault: faults["email"],
                hasFocus: email.isEmpty || faults["email"] != nil))
        form.field(
            PageForm.Field(
                name: "password", label: words[.password], type: .password, autocomplete: "new-password",
                hint: words[.passwordHint, ("minimum", String(Password.minimumLength))], fault: faults["password"],
                hasFocus: !email.isEmpty && faults["email"] == nil))
        form.field(
            PageForm.Field(
                name: "name", label: words[.name], autocomplete: "name", value: name, hint: words[.nameHint],
                fault: faults["name"],
                isRequired: false))
        form.button(words[.signUpButton], id: "submit")
        page.append(form.html)
        ProviderButtons.append(to: &page, parts, destination, visit)
        page.append(
            "<p class=\"links\">\(words[.haveAccount]) <a href=\"\(visit.base)\(destination.location(via: "/sign-in"))\">\(words[.signIn])</a></p>"
        )
        return page.response(status, fields: fields)
    }

    func mailSent(_ visit: Visit) -> Response {
        let words = visit.words
        var page = Page(title: words[.checkMail], language: words.language, look: words.look, hidesAddress: false)
        page.paragraph(words[.checkMailText, ("email", email)])
        page.append(
            "<a class=\"button main\" href=\"\(visit.base)\(destination.location(via: "/sign-in"))\">\(words[.toSignIn])</a>")
        return page.response(.ok, fields: ["Clear-Site-Data": "\"cache\""])
    }

    /// What is wrong with each field.
    static func faults(_ problems: [InputProblem], _ words: SignInWords) -> [String: String] {
        var faults: [String: String] = [:]
        for problem in problems {
            switch problem.field {
            case .email: faults["email"] = words[.emailMalformed]
            case .password: faults["password"] = Self.password(problem.reason, words)
            default: faults["name"] = words[.nameMalformed]
            }
        }
        return faults
    }

    static func password(_ reason: InputProblem.Reason, _ words: SignInWords) -> String {
        switch reason {
        case .tooShort(let minimum): words[.tooShort, ("minimum", String(minimum))]
        case .tooLong: words[.tooLong]
        case .passwordEqualsEmail: words[.equalsEmail]
        case .commonPassword, .entirelyNumeric, .resembles: words[.tooCommon]
        case .missing, .malformed, .forbiddenCharacter: words[.notAllowed]
        }
    }
}
