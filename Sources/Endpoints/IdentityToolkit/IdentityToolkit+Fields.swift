import HTTP
import Identity
import Routing
import Text

extension IdentityToolkit {
    /// The members of a request as the SDKs write them: names in camel or snake case, numbers for texts, texts for numbers and booleans. What
    /// nobody knows is passed over: SDKs add new ones.
    struct Fields: Sendable {
        let object: JSONObject

        init(_ object: JSONObject) {
            self.object = object
        }

        /// - Throws: `INVALID_ARGUMENT` for what is no JSON object. No body is an empty one.
        init(_ request: Request) throws(Failure) {
            guard !request.body.isEmpty else {
                object = JSONObject()
                return
            }
            if request.head.value(of: .contentType)?.hasPrefix("application/x-www-form-urlencoded") == true {
                object = try Self.form(request.body)
                return
            }
            guard let object = try? JSON.parse(request.body, maximumValues: 200_000).objectValue else {
                throw .malformed
            }
            self.object = object
        }

        private static func form(_ body: [UInt8]) throws(Failure) -> JSONObject {
            guard let form = try? FormFields(parsing: body) else { throw .argument("Invalid form received.") }
            var object = JSONObject()
            for name in ["grant_type", "grantType", "refresh_token", "refreshToken", "assertion"] as [StaticString] {
                if let value = form.value(name) { object["\(name)"] = .string(value) }
            }
            return object
        }

        /// What several methods take as text. Of the ids, addresses and numbers a look-up takes lists.
        private static let texts: Set<String> = [
            "idToken", "email", "password", "displayName", "photoUrl", "localId", "phoneNumber", "oobCode", "newPassword",
            "refreshToken", "grantType", "token", "requestUri", "postBody", "identifier", "continueUri", "sessionId",
            "requestType",
            "newEmail", "continueUrl", "customAttributes", "targetProjectId", "tenantId", "hashAlgorithm",
        ]
        private static let lists: Set<String> = ["email", "localId", "local_id", "phoneNumber", "phone_number"]

        /// - Throws: `INVALID_ARGUMENT` for an object or a list in the place of a text.
        func requireTexts() throws(Failure) {
            for member in object.members {
                switch member.value {
                case .object: break
                case .array where !Self.lists.contains(member.key): break
                default: continue
                }
                guard let name = Self.texts.first(where: { $0 == member.key || Self.snake($0) == member.key }) else { continue }
                throw .argument("Invalid JSON payload received. /\(name) must be string")
            }
        }

        /// Null counts as absent.
        func value(_ name: String) -> JSONValue? {
            let value = object[name] ?? object[Self.snake(name)]
            return value == .null ? nil : value
        }

        func isNull(_ name: String) -> Bool {
            object[name] == .null || object[Self.snake(name)] == .null
        }

        /// As it came, even if it is empty.
        func text(_ name: String) -> String? {
            switch value(name) {
            case .string(let text): text
            case .integer(let number): String(number)
            case .bool(let flag): String(flag)
            default: nil
            }
        }

        /// Nothing but what is there: an empty text counts as absent, as in JavaScript.
        func nonEmpty(_ name: String) -> String? {
            text(name).flatMap { $0.isEmpty ? nil : $0 }
        }

        func secret(_ name: String) -> SecretString? {
            nonEmpty(name).map { SecretString($0) }
        }

        func flag(_ name: String) -> Bool? {
            switch value(name) {
            case .bool(let flag): flag
            case .string("true"): true
            case .string("false"): false
            default: nil
            }
        }

        func integer(_ name: String) -> Int64? {
            switch value(name) {
            case .string(let text): Int64(text)
            case let value: value?.integerValue
            }
        }

        /// A list of texts; of one text a list of it.
        func list(_ name: String) -> [String] {
            entries(name).compactMap { $0 }
        }

        /// The same, each at its place: nil for what is no text.
        func entries(_ name: String) -> [String?] {
            switch value(name) {
            case .string(let text): [text]
            case .array(let values): values.map { Fields(JSONObject([.init(key: "v", value: $0)])).text("v") }
            default: []
            }
        }

        func objects(_ name: String) -> [Fields] {
            value(name)?.arrayValue?.compactMap { $0.objectValue.map { Fields($0) } } ?? []
        }

        /// An address, lower-cased as Firebase keeps it.
        /// - Throws: `INVALID_EMAIL`.
        func email(_ name: String) throws(Failure) -> EmailAddress? {
            guard let text = nonEmpty(name) else { return nil }
            guard let address = try? EmailAddress(text.lowercased()) else { throw Failure("INVALID_EMAIL") }
            return address
        }

        private static func snake(_ name: String) -> String {
            var snake = ""
            for character in name {
                if character.isUppercase { snake += "_" }
                snake += character.lowercased()
            }
            return snake
        }
    }
}
