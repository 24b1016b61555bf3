import Crypto
import TestSupport
import Testing
import Text

/// A browser without scripts: it keeps cookies, sends what browsers say of themselves, and fills in the forms that it is shown.
final class PageVisitor: Sendable {
    static let origin = "http://localhost:8080"
    let client: CookieClient

    init(_ server: TestHTTPClient) {
        client = CookieClient(server)
    }

    /// Of our pages.
    var session: String? { client.cookies["kidoban_session"].flatMap { $0.isEmpty ? nil : $0 } }

    func open(_ path: String, _ extra: [(name: String, value: String)] = []) async throws -> TestHTTPResponse {
        try await client.send("GET", path, [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")] + extra)
    }

    func post(
        _ path: String, _ fields: [(String, String)], origin: String? = origin, site: String = "same-origin"
    ) async throws -> TestHTTPResponse {
        let marks = [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate")] + (origin.map { [("Origin", $0)] } ?? [])
        return try await client.send(
            "POST", path, [CookieClient.formType] + marks.map { (name: $0.0, value: $0.1) }, body: CookieClient.form(fields))
    }

    /// Sends the form of a page, with its hidden fields.
    func submit(
        _ page: TestHTTPResponse, _ action: String, _ fields: [(String, String)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TestHTTPResponse {
        let hidden = try #require(Self.hidden(page, action), "\(action): \(page.text)", sourceLocation: sourceLocation)
        let given = Set(fields.map(\.0))
        let all = hidden.filter { !given.contains($0.0) } + fields
        return try await TestHTTPResponse.retryingWhileOverloaded { try await post(action, all) }
    }

    /// Goes where an answer leads, as long as that is here.
    func follow(_ response: TestHTTPResponse) async throws -> TestHTTPResponse {
        var response = response
        for _ in 0..<5 {
            guard response.status == 303, let location = response.value("Location"), location.hasPrefix("/") else { break }
            response = try await open(location)
        }
        return response
    }

    /// Signs in on the page; where that leads, unless somewhere else.
    @discardableResult
    func signIn(
        _ email: String, _ password: String = Account.password, at path: String = "/sign-in"
    ) async throws -> TestHTTPResponse {
        try await submit(open(path), "/sign-in", [("email", email), ("password", password)])
    }

    /// The hidden fields of the first form of a page that goes there.
    static func hidden(_ page: TestHTTPResponse, _ action: String) -> [(String, String)]? {
        guard let start = page.text.firstRange(of: "<form method=\"post\" action=\"\(action)\">") else { return nil }
        let form = page.text[start.upperBound...]
        let end = form.firstRange(of: "</form>")?.lowerBound ?? form.endIndex
        return form[..<end].split(separator: "<input type=\"hidden\" name=\"").dropFirst(
            form.hasPrefix("<input type=\"hidden\"") ? 0 : 1
        )
        .compactMap { part in
            let pieces = part.split(separator: "\"", maxSplits: 3, omittingEmptySubsequences: false)
            return pieces.count > 2 ? (String(pieces[0]), unescaped(String(pieces[2]))) : nil
        }
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}

/// A client whose users sign in on our pages.
struct PageClient: Sendable {
    static let verifier = "0123456789-0123456789-0123456789-0123456789"
    static let challenge = Base64URL.encode(SHA256.hash(verifier).bytes)

    let credentials: Credentials
    let redirectURI: String

    func authorize(_ more: [(String, String)] = []) -> String {
        let fields: [(String, String)] = [
            ("response_type", "code"), ("client_id", credentials.id), ("redirect_uri", redirectURI),
            ("scope", "openid profile email"),
            ("state", "the state&more"), ("nonce", "n-1"), ("code_challenge", PageClient.challenge),
            ("code_challenge_method", "S256"),
        ]
        return "/oauth2/authorize?" + PercentEncoding.encode(fields: (fields + more).map { (name: $0.0, value: $0.1) })
    }

    /// What the token endpoint gives for the code of an answer.
    func tokens(_ response: TestHTTPResponse, _ server: TestHTTPClient) async throws -> JSONValue {
        let location = try #require(response.value("Location"))
        let code = try #require(PageClient.parameter("code", of: location), "\(location)")
        let answer = try await server.form(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
                ("code_verifier", PageClient.verifier),
            ], credentials)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    static func parameter(_ name: String, of url: String) -> String? {
        for field in url.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1)
            if parts[0] == name { return parts.count > 1 ? PercentEncoding.decode(parts[1]) : "" }
        }
        return nil
    }
}

extension Installation {
    /// Registers a client whose users sign in on our pages.
    func addPageClient(_ options: String...) async throws -> PageClient {
        let uri = "https://rp.example/callback"
        let id = "rp-\(Person.unique())"
        let output = try await command(["client", "add", "Evening Post", "--web", "--id", id, "--redirect-uri", uri] + options)
        let secret = try #require(output.split(separator: "\n").first { $0.hasPrefix("client_secret=") }?.dropFirst(14))
        return PageClient(credentials: Credentials(id: id, secret: String(secret)), redirectURI: uri)
    }
}
