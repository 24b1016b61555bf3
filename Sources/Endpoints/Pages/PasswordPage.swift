import HTTP
import Identity
import Routing
import Text

extension Pages {
    /// `GET /account/password`: the form for a new password. Looking at it does not use the code up, so that a mail scanner that follows links
    /// spoils nothing.
    struct ShowPasswordForm: Endpoint {
        static let method = Method.get
        static let path = PagePath.password

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inQuery(request)
            let user = try await PageFailure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.user(ofCode: code, for: .resetPassword, caller: Caller(request))
            }
            return PasswordPage.form(code, user.email?.typed, words, problem: nil)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "The form for a new password", parameters: [PageCode.parameter],
                responses: [
                    .text(.ok, "A page.", type: "text/html"), PageFailure.codeIsVoidDocumented, PageFailure.limitedDocumented,
                ])
        }
    }

    /// `POST /account/password`: sets the new password, and ends all sessions of the user.
    struct SetPassword: Endpoint {
        static let method = Method.post
        static let path = PagePath.password

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let (code, fields) = try PageCode.inForm(request)
            let username = fields.value("username")
            guard let password = fields.secret("password"), !password.isEmpty else {
                return PasswordPage.form(code, username, words, problem: words[.passwordMissing])
            }
            guard fields.secret("password_again")?.revealedText == password.revealedText else {
                return PasswordPage.form(code, username, words, problem: words[.passwordsDiffer])
            }
            do throws(IdentityError) {
                try await services.confirmations.resetPassword(code: code, to: password, caller: Caller(request))
            } catch .user(.invalidInput(let problems)) {
                let problem = problems.first.map { words.problem($0.reason) }
                return PasswordPage.form(code, username, words, problem: problem ?? words[.notAllowed])
            } catch {
                throw .identity(error)
            }
            var page = Page(title: words[.passwordSavedTitle], language: words.language, look: words.look)
            page.paragraph(words[.passwordSaved])
            page.offerSignIn(words)
            // Browsers keep whole pages for the way back, those that are not to be stored too, and with them what was typed there.
            return page.response(.ok, fields: ["Clear-Site-Data": "\"cache\""])
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Set a new password by the form",
                body: .required(
                    .object([
                        PageCode.member, .required("password", .password), .required("password_again", .password),
                        .optional("username", .string),
                    ])),
                responses: [
                    .text(.ok, "A page: the password is set.", type: "text/html"),
                    .text(.badRequest, "The form once more, with what is wrong.", type: "text/html"),
                    PageFailure.codeIsVoidDocumented, PageFailure.limitedDocumented,
                ])
        }
    }

    private enum PasswordPage {
        static func form(_ code: SecretString, _ username: String?, _ words: PageWords, problem: String?) -> Response {
            var page = Page(title: words[.passwordTitle], language: words.language, look: words.look)
            if let problem { page.alert(problem) }
            page.passwordForm(code, of: username, words, isFaulty: problem != nil)
            return page.response(problem == nil ? .ok : .badRequest)
        }
    }
}

extension Page {
    /// The form for a new password, which `Pages.SetPassword` takes.
    /// - Parameters:
    ///   - username: whose password it is, where that is known.
    ///   - action: where that is, relative to the page.
    mutating func passwordForm(
        _ code: SecretString, of username: String?, _ words: PageWords, to action: StaticString = "?", isFaulty: Bool = false
    ) {
        form(code: code, button: words[.savePassword], to: action) { page in
            page.username(username ?? "")
            let hint = words[.passwordHint, ("minimum", String(Password.minimumLength))]
            page.passwordField("password", words[.newPassword], hint: hint, isFaulty: isFaulty)
            page.passwordField("password_again", words[.passwordAgain], isFaulty: false)
        }
    }

    /// The same on a page after something that has proved the mailbox; nothing without a code.
    mutating func offerPassword(_ code: SecretString?, of username: String? = nil, _ words: PageWords) {
        guard let code else { return paragraph(words[.askForPassword]) }
        paragraph(words[.setPasswordNow])
        passwordForm(code, of: username, words, to: "password")
    }
}
