import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `POST password/reset/confirm/`: sets a new password by the code of a mail. All sessions of the user end.
    struct ConfirmReset: Endpoint {
        let path = "/password/reset/confirm/"

        let services: Services
        let api: Parts

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            var fields = try Fields(request)
            let passwords = Passwords(&fields)
            let uid = fields.text("uid")
            let token = fields.secret("token")
            try fields.check()
            guard let uid, let token else { throw .field("token", .invalidValue) }
            let user = try await user(uid, token, words.options, Caller(request))
            let profile = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await api.profiles.profile(of: user)
            }
            let new = try passwords.checked(for: user, profile)
            try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.resetPassword(code: token, to: new, caller: Caller(request))
            }
            return words.response(.ok, detail: .passwordReset)
        }

        /// The user of a number, for whom the code must be. Whether there is one of that number is not told to who has no code.
        private func user(
            _ uid: String, _ token: SecretString, _ options: Options, _ caller: Caller
        ) async throws(Failure) -> User {
            guard let number = UID.number(uid, options) else { throw .field("uid", .invalidValue) }
            do throws(IdentityError) {
                return try await services.confirmations.user(withNumber: number, code: token, for: .resetPassword, caller: caller)
            } catch .userNotFound {
                throw .field("token", .invalidValue)
            } catch {
                throw .identity(error)
            }
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "Set a new password with the code of a mail",
                body: .required(
                    .object([.required("uid", .string), .required("token", .string)] + Passwords.members)),
                responses: [
                    Failure.done("Password has been reset with the new password."), Failure.fieldsDocumented(),
                    Failure.limitedDocumented,
                ])
        }
    }
}
