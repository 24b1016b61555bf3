import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `GET /auth/sessions`: the signed-in user's devices, the one used last first, with this one marked.
    struct ListSessions: Endpoint {
        static let method = Method.get
        static let path = "/auth/sessions"
        /// As for `AppAPI.EndSessions`, which is at the same path.
        static let hasOptionalSlash = false

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let authenticated = try await bearer.authenticate(request, for: .read)
            let sessions = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await services.sessions.list(of: authenticated.userID)
            }
            var writer = JSONWriter(capacity: 256 * sessions.count)
            writer.beginObject()
            writer.key("sessions")
            writer.beginArray()
            for session in sessions {
                writer.beginObject()
                writer.member("id", session.id.text)
                writer.member("device", session.device.text)
                writer.member("network", session.network.map { .string($0.text) } ?? .null)
                writer.member("created_at", session.createdAt)
                writer.member("last_used_at", session.lastUsedAt)
                writer.member("expires_at", session.absoluteEnd)
                writer.member("current", session.id == authenticated.sessionID)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
            return .appJSON(.ok, writer)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "The user's devices, the one used last first", security: [BearerUser.scheme],
                responses: [.json(.ok, "The sessions.", .object([.required("sessions", .array(of: session))]))]
                    + BearerUser.refusals)
        }

        private static let session = Schema.object([
            .required("id", .string), .required("device", .string.described("The `User-Agent` at sign-in: untrusted text.")),
            .required("network", .string.orNull.described("Whence it began: an IPv4 /24 or an IPv6 /48.")),
            .required("created_at", .time), .required("last_used_at", .time), .required("expires_at", .time),
            .required("current", .boolean.described("Whether it is the session of the token that asks.")),
        ]).named("Session")
    }
}
