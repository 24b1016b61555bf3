import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `GET /account`.
    struct ShowAccount: Endpoint {
        static let method = Method.get
        static let path = "/account"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            var view = try await AccountView(parts, visit.needsSession())
            if let notice = Notice(visit) { view.notice = (await text(of: notice, visit), notice.isProblem) }
            return view.response(.ok, visit)
        }

        private func text(of notice: Notice, _ visit: Visit) async -> String {
            let provider = parts.providerChoices.first { $0.id.text == notice.subject }?.name ?? ""
            let client = notice.text == .withdrawn ? (try? await parts.services.clients.client(notice.subject))?.client.name : nil
            return visit.words[notice.text, ("provider", provider), ("client", client ?? notice.subject)]
        }

        static var documentation: RouteDocumentation {
            document("The page on which somebody looks after their account", pageDocumented, signInDocumented)
        }
    }

    /// `POST /account/name`.
    struct ChangeName: Endpoint {
        static let method = Method.post
        static let path = "/account/name"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, session) = try await visit.acting()
            let name = form.value("name") ?? ""
            var change = Accounts.ProfileChange()
            change.displayName = name
            do throws(IdentityError) {
                _ = try await parts.services.accounts.change(session.session.userID, change, caller: visit.caller)
            } catch .user(.invalidInput) {
                var view = try await AccountView(parts, session)
                (view.open, view.faults, view.values) = (.name, ["name": visit.words[.nameMalformed]], ["name": name])
                return view.response(.badRequest, visit)
            } catch {
                throw .identity(error)
            }
            return Notice(.nameSaved).response(visit)
        }

        static var documentation: RouteDocumentation {
            document("Save the user's name", form: [.optional("name", .string)], goesOnDocumented)
        }
    }

    /// `POST /account/verification`: has the mail sent that confirms the address.
    struct SendVerification: Endpoint {
        static let method = Method.post
        static let path = "/account/verification"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (_, session) = try await visit.acting()
            let (services, caller, language) = (parts.services, visit.caller, visit.words.language.ofMails)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                let user = try await services.accounts.user(session.session.userID)
                guard !user.emailVerified else { return }
                try await services.confirmations.requestVerification(
                    of: user, language: language, link: parts.verificationLink, caller: caller)
            }
            return Notice(.confirmationSent).response(visit)
        }

        static var documentation: RouteDocumentation {
            document("Have the mail sent that confirms the address", form: [], goesOnDocumented)
        }
    }
}
