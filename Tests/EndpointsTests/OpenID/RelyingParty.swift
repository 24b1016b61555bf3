import Crypto
import Identity
import JOSE
import TestSupport
import Testing
import Text

/// A client that has been registered, as it asks for tokens.
struct RelyingParty: Sendable {
    static let redirectURI = "https://client.example.com/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = Base64URL.encode(SHA256.hash(verifier).bytes)

    let server: TestHTTPClient
    let id: String
    /// Nil for a public one.
    let secret: String?
    var redirectURI = Self.redirectURI

    var credentials: Credentials? { secret.map { Credentials(id: id, secret: $0) } }

    /// The parameters of a usual request.
    func parameters(_ changes: [(String, String?)] = []) -> [(String, String)] {
        var parameters: [(String, String)] = [
            ("response_type", "code"), ("client_id", id), ("redirect_uri", redirectURI), ("scope", "openid email profile"),
            ("state", "st4te"), ("nonce", "n0nce"), ("code_challenge", Self.challenge), ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes {
            parameters.removeAll { $0.0 == name }
            if let value { parameters.append((name, value)) }
        }
        return parameters
    }

    static func path(_ parameters: [(String, String)]) -> String {
        "/oauth2/authorize?" + PercentEncoding.encode(fields: parameters.map { (name: $0.0, value: $0.1) })
    }

    func authorize(_ browser: CookieClient, _ changes: [(String, String?)] = []) async throws -> TestHTTPResponse {
        try await browser.send("GET", Self.path(parameters(changes)))
    }

    /// A code for the user who is signed in.
    func code(
        _ browser: CookieClient, _ changes: [(String, String?)] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let response = try await authorize(browser, changes)
        return try #require(
            response.redirected["code"], "\(response.redirected) \(response.text)", sourceLocation: sourceLocation)
    }

    func token(
        _ fields: [(String, String)], with extra: [(name: String, value: String)] = [], asPublic: Bool? = nil
    ) async throws -> TestHTTPResponse {
        let isPublic = asPublic ?? (secret == nil)
        var request = TestHTTPRequest.form(
            "/oauth2/token", fields + (isPublic ? [("client_id", id)] : []), isPublic ? nil : credentials)
        request.fields += extra
        return try await server.send(request)
    }

    func redeem(
        _ code: String, _ changes: [(String, String?)] = [], with extra: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI), ("code_verifier", Self.verifier),
        ]
        for (name, value) in changes {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }
        return try await token(fields, with: extra)
    }

    func refresh(
        _ token: String, _ more: [(String, String)] = [], with extra: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        try await self.token([("grant_type", "refresh_token"), ("refresh_token", token)] + more, with: extra)
    }

    /// Tokens for the user who is signed in.
    func tokens(
        _ browser: CookieClient, _ changes: [(String, String?)] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue {
        let response = try await redeem(try await code(browser, changes, sourceLocation: sourceLocation))
        try #require(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
        return response.json
    }
}

extension Installation {
    /// Registers a client for the authorization code flow.
    func relyingParty(_ options: String..., redirectURI: String = RelyingParty.redirectURI) async throws -> RelyingParty {
        let id = "rp-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let kinds = ["--web", "--native", "--spa", "--service", "--device"]
        let kind = options.contains(where: kinds.contains) ? [] : ["--web"]
        let redirects = options.contains("--service") || options.contains("--device") ? [] : ["--redirect-uri", redirectURI]
        let output = try await command(["client", "add", id, "--id", id] + kind + redirects + options)
        let secret = output.split(separator: "\n").first { $0.hasPrefix("client_secret=") }.map { String($0.dropFirst(14)) }
        return RelyingParty(server: try server, id: id, secret: secret, redirectURI: redirectURI)
    }

    /// A browser in which somebody new is signed in.
    func browser(sourceLocation: SourceLocation = #_sourceLocation) async throws -> (CookieClient, Account) {
        let account = try await server.signUp(sourceLocation: sourceLocation)
        let browser = CookieClient(try server)
        try await browser.signInOnPage(account.email, sourceLocation: sourceLocation)
        return (browser, account)
    }
}

extension CookieClient {
    /// Signs in by the form of the page.
    /// - Parameter destination: where the page is to lead.
    /// - Returns: where it does.
    @discardableResult
    func signInOnPage(
        _ email: String, continuing destination: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let query = destination.map { "?continue=\(PercentEncoding.encode($0))" } ?? ""
        let page = try await send("GET", "/sign-in" + query)
        let mark = "name=\"form_token\" value=\""
        let start = try #require(page.text.firstRange(of: mark), "\(page.text)", sourceLocation: sourceLocation).upperBound
        let formToken = String(page.text[start...].prefix { $0 != "\"" })
        let fields = [("email", email), ("password", Account.password), ("form_token", formToken)]
        let body = Self.form(fields + (destination.map { [("continue", $0)] } ?? []))
        let response = try await TestHTTPResponse.retryingWhileOverloaded {
            try await send("POST", "/sign-in", [Self.formType], body: body)
        }
        #expect(response.status == 303, "\(response.text)", sourceLocation: sourceLocation)
        return response.value("Location") ?? ""
    }
}

extension TestHTTPResponse {
    /// Asks again as long as the server is overloaded and says when to come back. Tests run at once and all hash passwords on one
    /// machine, so that a server may refuse work, as it should; how it does that is not what these tests are about.
    static func retryingWhileOverloaded(_ ask: () async throws -> TestHTTPResponse) async throws -> TestHTTPResponse {
        var response = try await ask()
        for _ in 0..<50 where response.status == 503 && response.value("Retry-After") != nil {
            try await Task.sleep(for: .milliseconds(100))
            response = try await ask()
        }
        return response
    }

    /// What an answer tells in the query of the address that it leads to.
    var redirected: [String: String] {
        guard let location = value("Location"), let mark = location.firstIndex(of: "?") else { return [:] }
        var fields: [String: String] = [:]
        for pair in location[location.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            fields[parts[0]] = parts.count > 1 ? PercentEncoding.decode(parts[1]) : ""
        }
        return fields
    }

    /// Of a redirection to a page: where that is to lead.
    var continuation: String? { redirected["continue"] }
}

/// A key, and the proofs that it is held (RFC 9449 §4.2).
struct ProofKey: Sendable {
    let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.es256)
    }

    var thumbprint: String { JWK(key: key.publicKey, algorithm: .es256).thumbprint }

    func proof(
        _ method: String, _ path: String, at time: Timestamp, nonce: String? = nil, accessToken: String? = nil, id: String? = nil,
        type: String = "dpop+jwt"
    ) throws -> String {
        var jwk = JSONWriter()
        JWK(key: key.publicKey, algorithm: .es256).write(to: &jwk)
        var header = JSONWriter()
        header.beginObject()
        header.member("typ", type)
        header.member("alg", "ES256")
        header.member("jwk", raw: jwk.bytes)
        header.endObject()
        var claims = JSONObject()
        claims["htm"] = .string(method)
        claims["htu"] = .string("http://localhost:8080" + path)
        claims["iat"] = .integer(time.seconds)
        claims["jti"] = .string(id ?? String(UInt64.random(in: .min ... .max), radix: 36))
        claims["nonce"] = nonce.map { .string($0) }
        claims["ath"] = accessToken.map { .string(Base64URL.encode(SHA256.hash($0).bytes)) }
        return try signed(header.bytes, claims)
    }

    /// A client's assertion (RFC 7523 §3).
    func assertion(_ claims: [(String, JSONValue?)], keyID: String? = "one") throws -> String {
        var object = JSONObject()
        for (name, value) in claims { object[name] = value }
        let name = keyID.map { ",\"kid\":\"\($0)\"" } ?? ""
        return try signed(Array("{\"alg\":\"ES256\"\(name)}".utf8), object)
    }

    private func signed(_ header: [UInt8], _ claims: JSONObject) throws -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(JSONValue.object(claims).serialized)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }
}
