import HTTP
import Identity
import Routing
import Text

extension CookieAPI {
    /// The answers of this API: each has a body, because the client takes an empty one for failure.
    enum Answer {
        static let done = make { _ in }

        static func make(_ cookie: SetCookie? = nil, members: (inout JSONWriter) -> Void) -> Response {
            var writer = JSONWriter(capacity: 512)
            writer.beginObject()
            writer.member("status", "ok")
            members(&writer)
            writer.endObject()
            var fields = ResponseFields.notStored
            if let cookie { fields.append(cookie) }
            return .json(.ok, writer, fields: fields)
        }

        /// Nothing but success, and the cookie to be forgotten.
        static func done(_ cookie: SetCookie) -> Response {
            make(cookie) { _ in }
        }

        static func write(_ user: User, to writer: inout JSONWriter) {
            writer.key("user")
            writer.beginObject()
            writer.member("id", user.id.description)
            if let email = user.email { writer.member("email", email.typed) }
            writer.member("email_verified", user.emailVerified)
            if let name = user.displayName { writer.member("name", name.text) }
            if let photoURL = user.photoURL { writer.member("photo_url", photoURL.text) }
            writer.endObject()
        }

        /// In whole seconds since 1970.
        static func write(_ session: CookieSession, to writer: inout JSONWriter) {
            writer.key("session")
            writer.beginObject()
            writer.member("expires_at", session.session.absoluteEnd.seconds)
            writer.member("idle_expires_at", session.idleEnd.seconds)
            writer.endObject()
        }

        static let doneSchema = Routing.Schema.object([.required("status", .constant("ok"))])

        static let userSchema = Routing.Schema.object([
            .required("id", .uuid), .optional("email", .email), .required("email_verified", .boolean), .optional("name", .string),
            .optional("photo_url", .url),
        ]).named("CookieUser")

        static let sessionSchema = Routing.Schema.object([
            .required("expires_at", .integer.described("When it ends at the latest, in seconds since 1970.")),
            .required("idle_expires_at", .integer.described("When it ends unless it is used.")),
        ]).named("CookieSession")

        static func schema(_ members: [Routing.Schema.Member]) -> Routing.Schema {
            .object([.required("status", .constant("ok"))] + members)
        }

        static let formToken = Routing.Schema.Member.optional(
            "csrf_token", .string.described("Of the session; a form of a web page must have it, here or as `X-CSRF-Token`."))
    }
}
