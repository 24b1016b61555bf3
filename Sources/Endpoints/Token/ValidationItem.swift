import Routing
import Text

extension TokenAPI {
    /// One item of `detail` in a 422, as pydantic words it, but without `input`: that would repeat the password.
    struct ValidationItem {
        private let type: String
        private let location: [JSONValue]
        private let message: String
        /// What the JSON reader said; nothing of what was sent.
        private let reason: String?

        static func missing(_ path: [String]) -> ValidationItem {
            ValidationItem(
                type: "missing", location: path.map { .string($0) }, message: "Field required", reason: nil)
        }

        static func notAString(_ path: [String]) -> ValidationItem {
            ValidationItem(
                type: "string_type", location: path.map { .string($0) }, message: "Input should be a valid string", reason: nil)
        }

        static let notAnObject = ValidationItem(
            type: "model_attributes_type", location: ["body"],
            message: "Input should be a valid dictionary or object to extract fields from", reason: nil)

        static func malformedJSON(_ error: PythonJSONError) -> ValidationItem {
            ValidationItem(
                type: "json_invalid", location: ["body", .integer(Int64(error.position))], message: "JSON decode error",
                reason: error.message.description)
        }

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("type", type)
            writer.key("loc")
            writer.beginArray()
            for part in location { writer.value(part) }
            writer.endArray()
            writer.member("msg", message)
            if let reason {
                writer.key("ctx")
                writer.beginObject()
                writer.member("error", reason)
                writer.endObject()
            }
            writer.endObject()
        }

        static let schema = Schema.object([
            .required("type", .string), .required("loc", .oneOrMore(of: .anyOf([.string, .integer]))), .required("msg", .string),
            .optional("ctx", .object([.required("error", .string)])),
        ]).named("TokenValidationItem")
    }
}
