import HTTP
import Identity
import Text

/// `POST password/reset/confirm/`: sets a new password by the code of a mail (contract §3.6). All sessions of the user end.
struct RestAuthConfirmReset: RestAuthEndpoint {
    let path = "/password/reset/confirm/"

    let services: Services

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        var fields = try RestAuthFields(request)
        let passwords = RestAuthPasswords(&fields)
        let uid = fields.text("uid")
        let token = fields.secret("token")
        try fields.check()
        guard let uid, let token else { throw .field("token", .invalidValue) }
        let user = try await user(uid, token, words.options)
        let profile = try await restAuth { () throws(IdentityError) in
            try await services.restAuth.profiles.profile(of: user)
        }
        let new = try passwords.checked(for: user, profile)
        try await restAuth { () throws(IdentityError) in
            try await services.restAuth.confirmations.resetPassword(code: token, to: new, caller: Caller(request))
        }
        return words.response(.ok, detail: .passwordReset)
    }

    /// The user of a number, for whom the code must be.
    private func user(_ uid: String, _ token: SecretString, _ options: RestAuthOptions) async throws(RestAuthError) -> User {
        let door = services.restAuth
        guard let number = RestAuthUID.number(uid, options),
            let id = try await restAuth({ () throws(IdentityError) in try await door.profiles.user(withNumber: number) })
        else { throw .field("uid", .invalidValue) }
        let user = try await restAuth { () throws(IdentityError) in
            try await door.confirmations.user(ofCode: token, for: .resetPassword)
        }
        guard user.id == id else { throw .field("token", .invalidValue) }
        return user
    }
}

extension RestAuthConfirmReset {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "Set a new password with the code of a mail",
            body: .required(
                .object([.required("uid", .string), .required("token", .string)] + RestAuthPasswords.members)),
            responses: [
                RestAuthError.done("Password has been reset with the new password."), RestAuthError.fieldsDocumented(),
            ])
    }
}
