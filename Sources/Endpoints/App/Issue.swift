import Identity
import Routing
import Text

extension AppAPI {
    /// One item of `details`: an issue as the Zod 3 library words it, without the refused value.
    struct Issue {
        let code: String
        let message: String
        let path: [String]
        /// Members that this code has beside the three.
        let extra: [(name: String, value: JSONValue)]

        init(code: String, message: String, path: [String], extra: [(name: String, value: JSONValue)] = []) {
            self.code = code
            self.message = message
            self.path = path
            self.extra = extra
        }

        init(_ problem: FieldProblem) {
            self.init(problem.kind, at: problem.path)
        }

        init(_ problem: InputProblem) {
            self.init(problem.kind, at: [problem.field.wireName])
        }

        /// A text that is none of `options`. A short plain one is repeated in the answer; nothing else is.
        static func notAllowed(_ received: String, options: [String], path: [String]) -> Issue {
            let issue = Issue(.notAllowed(options: options), at: path)
            guard received.utf8.count <= 32, received.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return issue }
            return Issue(
                code: issue.code, message: "\(issue.message), received '\(received)'", path: path,
                extra: issue.extra + [("received", .string(received))])
        }

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("code", code)
            for (name, value) in extra { writer.member(name, value) }
            writer.member("path", path)
            writer.member("message", message)
            writer.endObject()
        }

        private init(_ kind: FieldProblem.Kind, at path: [String]) {
            switch kind {
            case .missing(let expected):
                self.init(type: expected.rawValue, received: "undefined", message: "Required", path: path)
            case .wrongType(let expected, let received):
                let message = "Expected \(expected.rawValue), received \(received.rawValue)"
                self.init(type: expected.rawValue, received: received.rawValue, message: message, path: path)
            case .notInteger:
                self.init(type: "integer", received: "float", message: "Expected integer, received float", path: path)
            case .tooSmall(let type, let minimum):
                self.init(
                    code: "too_small", message: "\(type.noun) must contain at least \(minimum) \(type.unit)", path: path,
                    extra: Self.bound("minimum", minimum, type))
            case .tooBig(let type, let maximum):
                self.init(
                    code: "too_big", message: "\(type.noun) must contain at most \(maximum) \(type.unit)", path: path,
                    extra: Self.bound("maximum", maximum, type))
            case .notAllowed(let options):
                let expected = options.map { "'\($0)'" }.joined(separator: " | ")
                self.init(
                    code: "invalid_enum_value", message: "Invalid enum value. Expected \(expected)", path: path,
                    extra: [("options", .array(options.map { .string($0) }))])
            case .invalidFormat(let format):
                self.init(
                    code: "invalid_string", message: "Invalid \(format)", path: path, extra: [("validation", .string(format))])
            case .custom(let code):
                self.init(code: "custom", message: Self.messages[code] ?? "Invalid value", path: path)
            }
        }

        private init(type: String, received: String, message: String, path: [String]) {
            self.init(
                code: "invalid_type", message: message, path: path,
                extra: [("expected", .string(type)), ("received", .string(received))])
        }

        private static func bound(_ name: String, _ value: Int, _ type: JSONType) -> [(name: String, value: JSONValue)] {
            [
                (name, .integer(Int64(value))), ("type", .string(type.rawValue)), ("inclusive", .bool(true)),
                ("exact", .bool(false)),
            ]
        }

        /// What our own rules say, by their codes.
        private static let messages = [
            "forbidden_character": "Contains a character that is not allowed",
            "common_password": "Password is too common",
            "password_equals_email": "Password must differ from the email",
            "entirely_numeric": "Password must not be only digits",
            "too_similar": "Password is too similar to other details",
        ]

        static let schema = Schema.object([
            .required("code", .string), .required("message", .string),
            .required("path", .array(of: .string).described("Where the field is.")),
            .optional("expected", .string), .optional("received", .string), .optional("validation", .string),
            .optional("minimum", .integer), .optional("maximum", .integer), .optional("type", .string),
            .optional("inclusive", .boolean), .optional("exact", .boolean), .optional("options", .array(of: .string)),
        ]).named("Issue")
    }
}

extension InputProblem.Field {
    /// The field's name in this API's requests.
    fileprivate var wireName: String {
        switch self {
        case .email: "email"
        case .password: "password"
        case .displayName: "name"
        case .photoURL: "photo_url"
        case .username: "username"
        case .firstName: "first_name"
        case .lastName: "last_name"
        }
    }
}

extension JSONType {
    fileprivate var noun: String {
        switch self {
        case .string: "String"
        case .array: "Array"
        case .number: "Number"
        case .boolean, .null, .object: "Value"
        }
    }

    fileprivate var unit: String {
        switch self {
        case .array: "element(s)"
        case .string, .number, .boolean, .null, .object: "character(s)"
        }
    }
}
