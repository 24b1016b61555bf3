import TestSupport
import Text

/// How the app API and the OAuth endpoints are asked.
extension TestHTTPClient {
    func get(_ path: String, bearer: String? = nil) async throws -> TestHTTPResponse {
        try await send("GET", path, Self.authorization(bearer))
    }

    func delete(_ path: String, bearer: String? = nil) async throws -> TestHTTPResponse {
        try await send("DELETE", path, Self.authorization(bearer))
    }

    func post(_ path: String, _ body: JSONValue, bearer: String? = nil) async throws -> TestHTTPResponse {
        try await send(.json("POST", path, body.serialized, bearer: bearer))
    }

    func patch(_ path: String, _ body: JSONValue, bearer: String?) async throws -> TestHTTPResponse {
        try await send(.json("PATCH", path, body.serialized, bearer: bearer))
    }

    func form(
        _ path: String, _ fields: [(String, String)], _ credentials: Credentials? = nil
    ) async throws -> TestHTTPResponse {
        try await send(.form(path, fields, credentials))
    }

    func introspect(_ token: String, _ credentials: Credentials) async throws -> TestHTTPResponse {
        try await form("/oauth2/introspect", [("token", token)], credentials)
    }

    private static func authorization(_ bearer: String?) -> [(name: String, value: String)] {
        bearer.map { [("Authorization", "Bearer \($0)")] } ?? []
    }
}

extension TestHTTPRequest {
    static func json(_ method: String, _ path: String, _ body: [UInt8], bearer: String? = nil) -> TestHTTPRequest {
        var request = TestHTTPRequest(method, path, [("Content-Type", "application/json")], body: body)
        if let bearer { request.fields.append(("Authorization", "Bearer \(bearer)")) }
        return request
    }

    static func form(_ path: String, _ fields: [(String, String)], _ credentials: Credentials? = nil) -> TestHTTPRequest {
        let body = fields.map { "\($0.0)=\(formEncoded($0.1))" }.joined(separator: "&")
        var request = TestHTTPRequest(
            "POST", path, [("Content-Type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
        if let credentials { request.fields.append(("Authorization", credentials.basic)) }
        return request
    }

    private static func formEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-._".unicodeScalars.contains(scalar))
            return isPlain ? String(scalar) : "%" + Hex.encode([byte])
        }.joined()
    }
}

/// The id and the secret of a client.
struct Credentials: Sendable {
    let id: String
    let secret: String

    var basic: String { "Basic \(Base64.encode(Array("\(id):\(secret)".utf8)))" }
}

extension TestHTTPResponse {
    /// The body as JSON; null when it is none.
    var json: JSONValue { (try? JSON.parse(body, maximumValues: 100_000)) ?? .null }

    /// The names of the members of the body.
    var keys: Set<String> { json.keys }
}

extension JSONValue {
    var keys: Set<String> { Set(objectValue?.members.map(\.key) ?? []) }

    subscript(index: Int) -> JSONValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
