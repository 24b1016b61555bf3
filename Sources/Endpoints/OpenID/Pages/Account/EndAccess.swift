import HTTP
import Identity
import Routing
import Text

extension SignInPages {
    /// `POST /account/end-session`: signs one device out.
    struct EndSession: Endpoint {
        static let method = Method.post
        static let path = "/account/end-session"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, current) = try await visit.acting()
            guard let id = form.value("session").flatMap({ SessionID($0) }) else { throw .badRequest }
            do throws(IdentityError) {
                try await parts.services.sessions.signOut(
                    id, of: current.session.userID, from: current.session.id, caller: visit.caller)
            } catch .sessionNotFound {
                return Notice(.deviceEnded).response(visit)
            } catch {
                throw .identity(error)
            }
            return Notice(.deviceEnded).response(visit)
        }

        static var documentation: RouteDocumentation {
            document("Sign one device out", form: [.required("session", .string)], goesOnDocumented)
        }
    }

    /// `POST /account/end-others`: signs all devices out but this one.
    struct EndOthers: Endpoint {
        static let method = Method.post
        static let path = "/account/end-others"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (_, current) = try await visit.acting()
            let caller = visit.caller
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await parts.services.sessions.signOutEverywhere(
                    current.session.userID, from: current.session.id, keepingIt: true, caller: caller)
            }
            return Notice(.othersEnded).response(visit)
        }

        static var documentation: RouteDocumentation {
            document("Sign all other devices out", form: [], goesOnDocumented)
        }
    }

    /// `POST /account/withdraw`: takes back what a service was allowed. All that it got ends.
    struct Withdraw: Endpoint {
        static let method = Method.post
        static let path = "/account/withdraw"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, current) = try await visit.acting()
            guard let client = form.value("client").flatMap({ ClientID($0) }) else { throw .badRequest }
            let caller = visit.caller
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await parts.services.authorization.consents.withdraw(
                    client, of: current.session.userID, in: current.session.id, caller: caller)
            }
            return Notice(.withdrawn, client.text).response(visit)
        }

        static var documentation: RouteDocumentation {
            document("Take back what a service was allowed", form: [.required("client", .string)], goesOnDocumented)
        }
    }

    /// `POST /account/delete`: deletes the account. The sign-in must be a recent one.
    struct DeleteAccount: Endpoint {
        static let method = Method.post
        static let path = "/account/delete"

        let parts: Parts

        func answer(_ visit: inout Visit) async throws(Failure) -> Response {
            let (form, current): (FormFields, CookieSession)
            do throws(Failure) {
                (form, current) = try await visit.acting()
            } catch {
                guard case .needsSignIn = error, try await isGone(visit.formerUser()) else { throw error }
                return done(visit)
            }
            guard form.value("confirmed") != nil else {
                var view = try await AccountView(parts, current)
                view.open = .delete
                return view.response(.badRequest, visit)
            }
            let (id, session, caller) = (current.session.userID, current.session.id, visit.caller)
            do throws(IdentityError) {
                try await parts.services.accounts.requireRecentSignIn(of: id, session: session, caller: caller)
                try await parts.services.accounts.delete(id, from: session, caller: caller)
            } catch {
                guard try await isGone(id) else { throw .identity(error) }
            }
            return done(visit)
        }

        /// Of a form that was sent twice the browser shows the answer to the second, for which there is no account any more.
        private func isGone(_ id: UserID?) async throws(Failure) -> Bool {
            guard let id else { return false }
            do throws(IdentityError) {
                _ = try await parts.services.accounts.user(id)
                return false
            } catch .userNotFound {
                return true
            } catch {
                throw .identity(error)
            }
        }

        private func done(_ visit: Visit) -> Response {
            let words = visit.words
            var page = Page(title: words[.deleted], language: words.language, look: words.look, hidesAddress: false)
            page.paragraph(words[.deletedText])
            var fields: ResponseFields = [:]
            fields.append(parts.browser.deletion)
            return page.response(.ok, fields: fields)
        }

        static var documentation: RouteDocumentation {
            document(
                "Delete the account", form: [.required("confirmed", .string)],
                .text(.ok, "A page: the account is gone.", type: "text/html"), signInDocumented)
        }
    }
}

extension SignInPages.Parts {
    /// What a user has allowed, with what people call it.
    func consentedServices(of id: UserID) async throws(IdentityError) -> [AccountView.Service] {
        var found: [AccountView.Service] = []
        for consent in try await services.authorization.consents.list(of: id) {
            let name = (try? await services.clients.client(consent.clientID.text))?.client.name ?? consent.clientID.text
            found.append(
                AccountView.Service(id: consent.clientID, name: name, scopes: consent.scopes, grantedAt: consent.grantedAt))
        }
        return found
    }
}
