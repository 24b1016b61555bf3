import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `POST /account/new-password`: sets a password by the old one; who has none must have signed in lately. All other devices are signed out.
    struct NewPassword: Endpoint {
        static let method = Method.post
        static let path = "/account/new-password"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, session) = try await visit.acting()
            let old = form.secret("old_password").flatMap { $0.isEmpty ? nil : $0 }
            let fault: (field: String, text: String)
            do throws(IdentityError) {
                let hasPassword = try await parts.services.accounts.hasPassword(session.session.userID)
                if hasPassword, old == nil { throw .invalidCredentials }
                try await parts.services.accounts.changePassword(
                    of: session.session.userID, in: session.session.id, from: hasPassword ? old : nil,
                    to: form.secret("new_password") ?? SecretString(""), caller: visit.caller)
                return Notice(.passwordSaved).response(visit)
            } catch .invalidCredentials {
                fault = ("old_password", visit.words[.oldPasswordWrong])
            } catch .user(.invalidInput(let problems)) {
                fault = ("new_password", problems.first.map { SignUpView.password($0.reason, visit.words) } ?? "")
            } catch {
                throw .identity(error)
            }
            var view = try await AccountView(parts, session)
            (view.open, view.faults) = (.password, [fault.field: fault.text])
            return view.response(.badRequest, visit)
        }

        static var documentation: RouteDocumentation {
            document(
                "Set a password", form: [.optional("old_password", .password), .required("new_password", .password)],
                goesOnDocumented)
        }
    }

    /// `POST /account/new-email`: has a link sent to another address. It becomes the user's when the link is followed.
    struct NewEmail: Endpoint {
        static let method = Method.post
        static let path = "/account/new-email"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, session) = try await visit.acting()
            let email = form.value("email")?.trimmedOfSpaces ?? ""
            let password = form.secret("password").flatMap { $0.isEmpty ? nil : $0 }
            let fault: (field: String, text: SignInText)
            do throws(IdentityError) {
                let start = parts.options.mailPages + PagePath.address + "?code="
                try await parts.services.confirmations.requestAddressChange(
                    of: session.session.userID, in: session.session.id, password: password, to: email,
                    link: { SecretString(start + $0.revealedText) }, caller: visit.caller)
                return mailSent(email, visit)
            } catch .user(.invalidInput) {
                fault = ("email", .emailMalformed)
            } catch .invalidCredentials {
                fault = ("password", .oldPasswordWrong)
            } catch {
                throw .identity(error)
            }
            var view = try await AccountView(parts, session)
            (view.open, view.faults, view.values) = (.email, [fault.field: visit.words[fault.text]], ["email": email])
            return view.response(.badRequest, visit)
        }

        private func mailSent(_ email: String, _ visit: Visit) -> Response {
            let words = visit.words
            var page = Page(title: words[.emailSent], language: words.language, look: words.look, hidesAddress: false)
            page.paragraph(words[.emailSentText, ("email", email)])
            page.append("<a class=\"button\" href=\"\(visit.base)/account\">\(words[.back])</a>")
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            document(
                "Have a link sent to another address", form: [.required("email", .string), .optional("password", .password)],
                .text(.ok, "A page: the mail says the rest.", type: "text/html"), signInDocumented)
        }
    }

    /// `POST /account/unlink`: a provider signs the user in no longer.
    struct Unlink: Endpoint {
        static let method = Method.post
        static let path = "/account/unlink"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, session) = try await visit.acting()
            guard let provider = form.value("provider").flatMap({ ProviderID($0) }) else { throw .badRequest }
            do throws(IdentityError) {
                try await parts.services.accounts.unlink(
                    provider, from: session.session.userID, session: session.session.id, caller: visit.caller)
            } catch .lastSignInMethod {
                return Notice(.lastWayIn).response(visit)
            } catch .identityNotFound {
                return Notice(.unlinked, provider.text).response(visit)
            } catch {
                throw .identity(error)
            }
            return Notice(.unlinked, provider.text).response(visit)
        }

        static var documentation: RouteDocumentation {
            document("Take a provider away from the ways to sign in", form: [.required("provider", .string)], goesOnDocumented)
        }
    }
}
