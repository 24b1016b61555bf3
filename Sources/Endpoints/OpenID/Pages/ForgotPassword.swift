import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /forgot-password`.
    struct ShowForgotPassword: Endpoint {
        static let method = Method.get
        static let path = "/forgot-password"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (destination, purpose) = try await parts.start(visit.query, &visit)
            return ForgotPasswordView(destination: destination, email: purpose.loginHint ?? "").response(.ok, visit)
        }

        static var documentation: RouteDocumentation {
            document("The form that has a mail sent for a new password", parameters: [continueParameter], pageDocumented)
        }
    }

    /// `POST /forgot-password`: the answer is the same, after the same time, whether or not the address has an account.
    struct ForgotPassword: Endpoint {
        static let method = Method.post
        static let path = "/forgot-password"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let form = try visit.form()
            let (destination, _) = try await parts.start(form, &visit)
            var view = ForgotPasswordView(destination: destination, email: form.value("email")?.trimmedOfSpaces ?? "")
            guard visit.isOwn(form) else { return view.notOwn(visit) }
            do throws(IdentityError) {
                try await parts.services.confirmations.requestPasswordReset(
                    email: view.email, language: visit.words.language.ofMails, link: parts.resetLink, caller: visit.caller)
                return view.mailSent(visit)
            } catch .user(.invalidInput) {
                view.fault = .emailMalformed
                return view.response(.badRequest, visit)
            } catch .service(.tooManyRequests(let delay)) {
                return view.tooMany(retryAfter: delay, visit)
            } catch {
                throw .identity(error)
            }
        }

        static var documentation: RouteDocumentation {
            document(
                "Have a mail sent for a new password", form: [.required("email", .string), continueMember],
                .text(.ok, "A page: the mail says the rest.", type: "text/html"))
        }
    }
}

/// The page that has a mail sent for a new password.
struct ForgotPasswordView: FormView {
    let destination: Destination
    let email: String
    var problem: SignInText?
    var fault: SignInText?

    func response(_ status: Status, _ visit: Visit, _ fields: ResponseFields = [:]) -> Response {
        let words = visit.words
        var page = Page(title: words[.forgot], language: words.language, look: words.look, hidesAddress: false)
        if let problem { page.alert(words[problem]) }
        page.paragraph(words[.forgotText])
        var form = PageForm(visit, to: "/forgot-password", token: visit.secret.formToken, destination: destination)
        form.field(
            PageForm.Field(
                name: "email", label: words[.email], type: .email, autocomplete: "username", value: email,
                fault: fault.map { words[$0] }, hasFocus: true))
        form.button(words[.forgotButton], id: "submit")
        page.append(form.html)
        page.append(Self.back(destination, visit))
        return page.response(status, fields: fields)
    }

    func mailSent(_ visit: Visit) -> Response {
        let words = visit.words
        var page = Page(title: words[.forgotSent], language: words.language, look: words.look, hidesAddress: false)
        page.paragraph(words[.forgotSentText, ("email", email)])
        page.append(Self.back(destination, visit))
        return page.response(.ok)
    }

    private static func back(_ destination: Destination, _ visit: Visit) -> Markup {
        "<p class=\"links\"><a href=\"\(visit.base)\(destination.location(via: "/sign-in"))\">\(visit.words[.toSignIn])</a></p>"
    }
}
