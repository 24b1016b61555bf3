import Identity
import Routing
import Text

extension RestAuth {
    /// A user in this API's words. All five are in every one, and `pk` is a number.
    enum UserObject {
        static func write(_ user: User, _ profile: Profile, to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("pk", profile.number)
            writer.member("username", profile.username.text)
            writer.member("email", user.email.typed)
            writer.member("first_name", profile.firstName)
            writer.member("last_name", profile.lastName)
            writer.endObject()
        }

        static let schema = Routing.Schema.object([
            .required("pk", .integer), .required("username", .string), .required("email", .email),
            .required("first_name", .string),
            .required("last_name", .string),
        ]).named("RestAuthUser")
    }
}
