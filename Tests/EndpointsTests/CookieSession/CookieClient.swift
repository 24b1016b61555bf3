import TestSupport
import Testing
import Text

/// An HTTP library that keeps the cookies of one host, and asks as the reference client does: it has no browser's marks.
final class CookieClient: Sendable {
    let server: TestHTTPClient
    let prefix: String
    private let jar = Locked<[String: String]>([:])
    private let sent = Locked<[(name: String, value: String)]>([])

    init(_ server: TestHTTPClient, prefix: String = "") {
        self.server = server
        self.prefix = prefix
    }

    /// The cookies by name.
    var cookies: [String: String] {
        get { jar.value }
        set { jar.withLock { $0 = newValue } }
    }

    /// Fields that go with every request: those of a browser, or a device.
    var fields: [(name: String, value: String)] {
        get { sent.value }
        set { sent.withLock { $0 = newValue } }
    }

    /// Alamofire's way with a form: its keys sorted, spaces as `%20`, `+` escaped, true as `1`.
    static func form(_ fields: [(String, String)]) -> String {
        fields.sorted { $0.0 < $1.0 }.map { "\($0.0)=\(escaped($0.1))" }.joined(separator: "&")
    }

    static let formType = (name: "Content-Type", value: "application/x-www-form-urlencoded; charset=UTF-8")

    func logIn(
        _ email: String, _ password: String = Account.password, remember: Bool? = nil,
        with extra: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        let remembering = remember.map { [("remember", $0 ? "1" : "0")] } ?? []
        let body = Self.form([("email", email), ("password", password)] + remembering)
        return try await send("POST", "/login", [Self.formType] + extra, body: body)
    }

    func touch() async throws -> TestHTTPResponse {
        try await send("GET", "/touch", [Self.formType])
    }

    func logOut(_ extra: [(name: String, value: String)] = []) async throws -> TestHTTPResponse {
        try await send("POST", "/logout", extra)
    }

    func send(
        _ method: String, _ path: String, _ extra: [(name: String, value: String)] = [], body: String? = nil
    ) async throws -> TestHTTPResponse {
        let cookies = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let field = cookies.isEmpty ? [] : [(name: "Cookie", value: cookies)]
        let response = try await server.send(method, prefix + path, field + fields + extra, body: body)
        for (name, value) in response.fields where name.lowercased() == "set-cookie" { keep(value) }
        return response
    }

    private func keep(_ field: String) {
        let pair = field.split(separator: ";")[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        jar.withLock { $0[String(pair[0])] = field.contains("Max-Age=0;") ? nil : String(pair[1]) }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                ("a"..."z").contains(Unicode.Scalar(byte)) || ("A"..."Z").contains(Unicode.Scalar(byte))
                || ("0"..."9").contains(Unicode.Scalar(byte)) || "-._~".utf8.contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }
}

/// A `Set-Cookie` field taken apart.
struct ReceivedCookie {
    let name: String
    let value: String
    /// In lower case, with their values.
    let attributes: [String: String]

    /// The one cookie of an answer.
    init(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let field = try #require(response.value("Set-Cookie"), "\(response.text)", sourceLocation: sourceLocation)
        let parts = field.split(separator: ";").map { part in
            part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        name = parts[0][0]
        value = parts[0][1]
        attributes = Dictionary(uniqueKeysWithValues: parts.dropFirst().map { ($0[0].lowercased(), $0.count > 1 ? $0[1] : "") })
    }
}

/// That the session is over, said so that the client forgets its cookie and URLSession does nothing of its own.
func expectSignedOut(
    _ response: TestHTTPResponse, _ code: String = "session_expired", cookie name: String = "sid",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == 401, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.text == #"{"error":"\#(code)"}"#, sourceLocation: sourceLocation)
    #expect(response.value("WWW-Authenticate") == #"Session realm="kidoban""#, sourceLocation: sourceLocation)
    #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
    #expect(response.value("Location") == nil, sourceLocation: sourceLocation)
    guard let cookie = try? ReceivedCookie(response, sourceLocation: sourceLocation) else { return }
    #expect(cookie.name == name && cookie.value.isEmpty, sourceLocation: sourceLocation)
    #expect(cookie.attributes["max-age"] == "0", sourceLocation: sourceLocation)
    #expect(cookie.attributes["expires"] == "Thu, 01 Jan 1970 00:00:00 GMT", sourceLocation: sourceLocation)
    #expect(cookie.attributes["path"] == "/", sourceLocation: sourceLocation)
    #expect(cookie.attributes["domain"] == nil, sourceLocation: sourceLocation)
}

/// That a request was refused as another site's.
func expectCrossSite(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(response.status == 403, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.text == #"{"error":"csrf_failed"}"#, sourceLocation: sourceLocation)
    #expect(response.value("Set-Cookie") == nil, sourceLocation: sourceLocation)
}
