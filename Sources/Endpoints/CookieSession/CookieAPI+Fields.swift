import HTTP
import Routing
import Text

extension CookieAPI {
    /// The fields of a request's body, which is a form or JSON; empty without a body.
    struct Fields {
        private enum Source {
            case none
            case form(FormFields)
            case json(JSONObject)
        }

        /// Those of a request whose body nobody reads.
        static let none = Fields(source: .none)

        private let source: Source

        private init(source: Source) {
            self.source = source
        }

        /// - Throws: `CookieAPI.Failure.invalidRequest` for a body that is malformed, or JSON that is no object.
        init(_ request: Request) throws(Failure) {
            guard !request.body.isEmpty else {
                source = .none
                return
            }
            if case .form = ContentType(of: request.head) {
                guard let form = try? FormFields(parsing: request.body, repeatsLists: true) else { throw .invalidRequest }
                source = .form(form)
            } else {
                guard let object = (try? JSON.parse(request.body))?.objectValue else { throw .invalidRequest }
                source = .json(object)
            }
        }

        /// - Throws: `CookieAPI.Failure.invalidRequest` when it is missing or no text.
        func text(_ name: StaticString) throws(Failure) -> String {
            let text: String? =
                switch source {
                case .none: nil
                case .form(let form): form.value(name)
                case .json(let object): object[name.description]?.stringValue
                }
            guard let text else { throw .invalidRequest }
            return text
        }

        /// A flag, false unless it is there: `1`, `true`, `on` or `yes` in any letter case, as libraries and browsers write it; in JSON also
        /// a boolean, 1 or 0.
        /// - Throws: `CookieAPI.Failure.invalidRequest` for anything else.
        func flag(_ name: StaticString) throws(Failure) -> Bool {
            switch source {
            case .none: return false
            case .form(let form): return try Self.flag(form.value(name))
            case .json(let object):
                switch object[name.description] {
                case .bool(let flag)?: return flag
                case .integer(1)?: return true
                case .integer(0)?, .null?, nil: return false
                case .string(let text)?: return try Self.flag(text)
                default: throw .invalidRequest
                }
            }
        }

        private static func flag(_ text: String?) throws(Failure) -> Bool {
            switch text?.lowercased() {
            case "1", "true", "on", "yes": return true
            case nil, "0", "false", "off", "no", "": return false
            default: throw .invalidRequest
            }
        }

        /// The form token in the body, if there is one.
        var formTokens: [SecretString] {
            switch source {
            case .none: []
            case .form(let form): form.secret("csrf_token").map { [$0] } ?? []
            case .json(let object): object["csrf_token"].map { [SecretString($0.stringValue ?? "")] } ?? []
            }
        }
    }
}
