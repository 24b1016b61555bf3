import HTTP
import Identity
import Text

/// `POST password/change/`: sets a new password (contract §3.4). The session that asks lives on, with another `sessionid`; all others end.
///
/// The old password is asked for unless the sign-in is a few minutes old, or the door is set to trust every session as the original did.
struct RestAuthChangePassword: RestAuthEndpoint {
    let path = "/password/change/"

    let services: Services
    let caller: RestAuthCaller

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        let known = try await caller.authenticate(request, for: .change)
        let profile = try await restAuth { () throws(IdentityError) in
            try await services.restAuth.profiles.profile(of: known.user)
        }
        var fields = try RestAuthFields(request)
        let old = fields.secret("old_password", isRequired: false)
        let passwords = RestAuthPasswords(&fields)
        try fields.check()
        let new = try passwords.checked(for: known.user, profile)
        do throws(IdentityError) {
            try await services.accounts.changePassword(
                of: known.user.id, in: known.sessionID, from: old, to: new,
                trustsSession: words.options.changesPasswordWithoutOld, caller: Caller(request))
        } catch .invalidCredentials {
            throw .field("old_password", .wrongOldPassword)
        } catch {
            throw .identity(error)
        }
        let session = try await restAuth { () throws(IdentityError) in
            try await services.sessions.changeCookie(of: known.sessionID)
        }
        return words.response(.ok, detail: .passwordSaved).setting(cookies(of: session, request, words.options))
    }

    /// For who came with the cookie that is void now.
    private func cookies(of session: Session, _ request: Request, _ options: RestAuthOptions) -> [SetCookie] {
        guard RestAuthCookies.value(RestAuthCookies.session, in: request.head) != nil else { return [] }
        return RestAuthCookies.signedIn(
            services.sessions.cookie(of: session, use: .restAuth), formToken: services.sessions.formToken(of: session),
            until: session.ownAbsoluteEnd, at: services.restAuth.ambience.now(), options)
    }
}

extension RestAuthChangePassword {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Set a new password", security: RestAuthCaller.schemes(services.restAuth.options),
            body: .required(.object(RestAuthPasswords.members + [.optional("old_password", .password)])),
            responses: [
                RestAuthError.done("New password has been saved."), RestAuthError.fieldsDocumented(),
                RestAuthError.limitedDocumented,
            ] + RestAuthCaller.refusals)
    }
}
