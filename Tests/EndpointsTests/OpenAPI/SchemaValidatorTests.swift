import Routing
import Testing
import Text

/// The judge of all answers is judged first.
@Suite struct SchemaValidatorTests {
    private static let user = Schema.object([
        .required("id", .uuid), .optional("tags", .oneOrMore(of: .choice(["a", "b"]))), .optional("age", .integer.orNull),
        .optional("key", .string(matching: "^[0-9a-f]{4}$")), .optional("name", .string(1...3)),
    ]).named("User")

    private func problems(_ text: String) throws -> [String] {
        let components = Self.user.components.map { JSONObject.Member(key: $0.key, value: .object($0.value)) }
        let validator = SchemaValidator(components: .object(JSONObject(components)))
        return validator.problems(of: try JSON.parse(Array(text.utf8)), .object(Self.user.keywords))
    }

    @Test(arguments: [
        #"{"id":"x"}"#, #"{"id":"x","tags":["a","b"],"age":null,"key":"0a1f","name":"abc"}"#, #"{"id":"x","age":7}"#,
    ])
    func `what the schema describes passes`(_ text: String) throws {
        #expect(try problems(text).isEmpty)
    }

    @Test(arguments: [
        (#"{}"#, "$.id is missing"), (#"[]"#, "$ breaks type"), (#"{"id":1}"#, "$.id breaks type"),
        (#"{"id":"x","more":1}"#, "$.more is not documented"), (#"{"id":"x","tags":[]}"#, "$.tags breaks minItems"),
        (#"{"id":"x","tags":["a","c"]}"#, "$.tags[1] breaks enum"), (#"{"id":"x","age":1.5}"#, "$.age breaks anyOf"),
        (#"{"id":"x","key":"0A1F"}"#, "$.key breaks pattern"), (#"{"id":"x","name":""}"#, "$.name breaks minLength"),
        (#"{"id":"x","name":"abcd"}"#, "$.name breaks maxLength"),
    ])
    func `what it does not describe is named`(_ text: String, _ problem: String) throws {
        #expect(try problems(text) == [problem])
    }
}
