import HTTP
import Identity
import Routing

extension RestAuth {
    /// `POST password/change/`: sets a new password. The session that asks lives on, with another `sessionid`; all others end.
    /// Where all sign-ins share one key it ends too, because a copy of the key is one of the session: who came by a cookie gets a new one.
    ///
    /// The old password is asked for unless the sign-in is a few minutes old, or the API is set to trust every session as the original did.
    struct ChangePassword: Endpoint {
        let path = "/password/change/"

        let services: Services
        let api: Parts
        let caller: Authenticator

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let known = try await caller.authenticate(request, for: .change)
            let profile = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await api.profiles.profile(of: known.user)
            }
            var fields = try Fields(request)
            let old = fields.secret("old_password", isRequired: false)
            let passwords = Passwords(&fields)
            try fields.check()
            let new = try passwords.checked(for: known.user, profile)
            do throws(IdentityError) {
                try await services.accounts.changePassword(
                    of: known.user.id, in: known.sessionID, from: old, to: new,
                    trustsSession: words.options.changesPasswordWithoutOld, keepsSession: !sharesKey(words.options),
                    caller: Caller(request))
            } catch .invalidCredentials {
                throw .field("old_password", .wrongOldPassword)
            } catch {
                throw .identity(error)
            }
            let response = words.response(.ok, detail: .passwordSaved)
            guard Cookies.value(Cookies.session, in: request.head) != nil || !sharesKey(words.options) else {
                return response
            }
            let session = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                guard sharesKey(words.options) else { return try await services.sessions.changeCookie(of: known.sessionID) }
                let authentication = try await services.accounts.authenticationAfterPasswordChange(of: known.user.id)
                return try await SignInAnswer(services, api).begin(authentication, Caller(request)).session
            }
            return response.setting(cookies(of: session, request, words.options))
        }

        private func sharesKey(_ options: Options) -> Bool {
            options.tokens == .key && options.keySharing == .shared
        }

        /// For who came with the cookie that is void now.
        private func cookies(of session: Session, _ request: Request, _ options: Options) -> [SetCookie] {
            guard Cookies.value(Cookies.session, in: request.head) != nil else { return [] }
            return Cookies.signedIn(
                services.sessions.cookie(of: session, use: .restAuth), formToken: services.sessions.formToken(of: session),
                until: session.ownAbsoluteEnd, at: api.system.now(), options)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Set a new password", security: Authenticator.schemes(api.options),
                body: .required(.object(Passwords.members + [.optional("old_password", .password)])),
                responses: [
                    Failure.done("New password has been saved."), Failure.fieldsDocumented(),
                    Failure.limitedDocumented,
                ] + Authenticator.refusals)
        }
    }
}
