import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// The answer to sign-up and sign-in: the tokens, and the user. `token` and `accessToken` are the same string.
    enum AuthResponse {
        static func make(
            _ status: Status, _ user: User, _ tokens: SessionTokens, _ services: Services
        ) async throws(Failure) -> Response {
            let settings = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.appSettings.settings(of: user.id)
            }
            return make(status, user, settings, tokens)
        }

        static func make(_ status: Status, _ user: User, _ settings: AppSettings, _ tokens: SessionTokens) -> Response {
            var writer = JSONWriter(capacity: 2048)
            writer.beginObject()
            writer.member("token", tokens.accessToken.revealedText)
            writer.member("accessToken", tokens.accessToken.revealedText)
            writer.member("refreshToken", tokens.refreshToken.revealedText)
            writer.key("user")
            UserObject.write(user, settings, to: &writer)
            writer.endObject()
            return .appJSON(status, writer)
        }

        static let schema = Schema.object([
            .required("token", .string.described("The access token once more.")),
            .required("accessToken", .string.described("A JWT (RFC 9068).")), .required("refreshToken", .string),
            .required("user", UserObject.schema),
        ]).named("AuthResponse")
    }
}
