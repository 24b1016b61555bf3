import HTTP
import Identity
import Routing
import Text

extension CookieAPI {
    /// `GET /sessions`: the user's sessions on all devices, whichever API they came through, the one used last first, with this one
    /// marked.
    struct SessionList: Endpoint {
        static let method = Method.get
        static let path = "/sessions"

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            let current = try await gate.session(of: request).session
            let sessions = try await Failure.mapIdentityErrors { () throws(IdentityError) in
                try await gate.services.sessions.list(of: current.userID)
            }
            return Answer.make { writer in
                writer.key("sessions")
                writer.beginArray()
                for session in sessions {
                    writer.beginObject()
                    writer.member("id", session.id.text)
                    writer.member("device", session.device.text)
                    writer.member("network", session.network.map { .string($0.text) } ?? .null)
                    writer.member("created_at", session.createdAt.seconds)
                    writer.member("last_used_at", session.lastUsedAt.seconds)
                    writer.member("expires_at", session.absoluteEnd.seconds)
                    writer.member("current", session.id == current.id)
                    writer.endObject()
                }
                writer.endArray()
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "List the user's sessions on all devices", security: [Gate.scheme],
                responses: [
                    .json(
                        .ok, "The one used last comes first.",
                        Answer.schema([.required("sessions", .array(of: session))]))
                ] + Gate.refusals)
        }

        private static let session = Schema.object([
            .required("id", .string), .required("device", .string),
            .required("network", .string.orNull.described("Whence it began: an IPv4 /24 or an IPv6 /48.")),
            .required("created_at", .integer), .required("last_used_at", .integer), .required("expires_at", .integer),
            .required("current", .boolean),
        ]).named("CookieListedSession")
    }
}
