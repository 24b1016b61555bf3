import HTTP
import Identity
import Routing
import Text

extension TokenAPI {
    /// The body of a sign-in, checked as FastAPI and pydantic check it.
    struct SentCredentials {
        let email: String
        let password: SecretString

        /// - Throws: `TokenAPI.Failure.invalid` with everything that is wrong, `unreadableBody`.
        init(_ request: Request) throws(Failure) {
            guard !request.body.isEmpty else { throw .invalid([.missing(["body"])]) }
            guard Self.isJSON(request.head) else { throw .invalid([.notAnObject]) }
            switch try Self.document(request.body) {
            case .null: throw .invalid([.missing(["body"])])
            case .object(let object): (email, password) = try Self.read(object)
            case .bool, .integer, .double, .string, .array: throw .invalid([.notAnObject])
            }
        }

        /// As FastAPI decides: `application/json` and whatever ends in `+json`, with any parameters, and nothing at all.
        private static func isJSON(_ head: RequestHead) -> Bool {
            let type = head.value(of: .contentType) ?? ""
            let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
            return essence.isEmpty || essence == "application/json"
                || essence.hasPrefix("application/") && essence.hasSuffix("+json")
        }

        private static func document(_ body: [UInt8]) throws(Failure) -> JSONValue {
            do throws(JSONParseError) {
                return try JSON.parse(body)
            } catch {
                guard let text = String(validating: body, as: UTF8.self) else { throw .unreadableBody }
                throw .invalid([.malformedJSON(PythonJSONError(in: text) ?? PythonJSONError(error))])
            }
        }

        private static func read(_ object: JSONObject) throws(Failure) -> (String, SecretString) {
            var items: [ValidationItem] = []
            func string(_ key: String) -> String? {
                switch object[key] {
                case .string(let text)?: return text
                case nil: items.append(.missing(["body", key]))
                case .some: items.append(.notAString(["body", key]))
                }
                return nil
            }
            let (email, password) = (string("email_address"), string("password"))
            guard let email, let password else { throw .invalid(items) }
            return (email, SecretString(password))
        }
    }

    /// The token that `Authorization: bearer …` carries, in whichever case the scheme is written (RFC 9110 §11.1).
    enum Bearer {
        /// - Throws: `TokenAPI.Failure.notAuthenticated` without the field, with another scheme, or with a scheme alone; `invalidToken` for
        ///   what can be no token.
        static func read(_ request: Request) throws(Failure) -> SecretString {
            guard let value = request.head.value(of: .authorization) else { throw .notAuthenticated }
            if let authorization = try? Authorization.parse(request.head), case .bearer(let token) = authorization {
                return token
            }
            let parts = value.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .notAuthenticated }
            throw .identity(.invalidToken)
        }
    }
}
