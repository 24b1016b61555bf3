import HTTP
import Identity
import Routing
import Text

extension TokenAPI {
    /// The token object: exactly four members.
    enum Answer {
        static func make(_ tokens: SessionTokens) -> Response {
            var writer = JSONWriter(capacity: 1024)
            writer.beginObject()
            writer.member("access_token", tokens.accessToken.revealedText)
            writer.member("refresh_token", tokens.refreshToken.revealedText)
            writer.member("token_type", "bearer")
            writer.member("expires_at", tokens.accessTokenExpiresAt.adding(.zero - Times.leeway).seconds)
            writer.endObject()
            return .json(.ok, writer, fields: .notStored)
        }

        static let schema = Routing.Schema.object([
            .required("access_token", .string), .required("refresh_token", .string),
            .required("token_type", .constant("bearer")),
            .required("expires_at", .integer.described("When the access token expires, in seconds since 1970.")),
        ]).named("Token")
    }

    /// How exactly the token resource takes the time.
    enum Times {
        /// How much longer an access token lives than its `expires_at` says: the device's clock may run behind (§3).
        static let leeway = Duration.seconds(60)
        /// How long ago an access token may have expired that still signs out (§4).
        static let lateness = Duration.seconds(86_400)
    }
}
