import Crypto
import JOSE
import TestSupport
import Testing
import Text

@testable import Server

/// `kidoban dev-issuer` as a process of its own.
final class RunningIssuer {
    struct Failure: Error {
        let output: String
    }

    let process: ChildProcess
    let http: TestHTTPClient
    let url: String
    private let directory: TestDirectory

    init(_ environment: [String: String] = [:]) async throws {
        directory = try TestDirectory()
        let output = "\(directory.path)/output"
        let process = try ChildProcess(
            Kidoban.path ?? "", ["dev-issuer", "--listen", "127.0.0.1:0"], environment: environment, outputPath: output)
        var text = ""
        try await eventually {
            text = try TestFile.text(of: output)
            return text.hasSuffix("\n") || !process.isRunning
        }
        guard let start = text.firstRange(of: "http://")?.lowerBound, let port = text.split(separator: ":").last else {
            throw Failure(output: text)
        }
        url = String(text[start...].dropLast())
        http = TestHTTPClient(port: UInt16(port.dropLast()) ?? 0)
        self.process = process
    }

    func keys() async throws -> JWKSet {
        try await JWKSet.parse(http.send("GET", "/keys").body)
    }

    func token(_ path: String, _ claims: String = "{}") async throws -> String {
        let response = try await http.send("POST", path, [("Content-Type", "application/json")], body: claims)
        return try JSON.parse(response.body)["id_token"]?.stringValue ?? ""
    }

    func claims(_ path: String, _ changes: String = "{}", allowing: [SignatureAlgorithm] = [.rs256]) async throws -> JWTClaims {
        let keys = try await keys()
        return try UnverifiedJWS.parse(await token(path, changes)).verify(with: keys, allowing: allowing).claims()
    }
}

@Suite(.needsProgram)
struct DevIssuerTests {
    @Test func `it signs tokens that look like Apple's and Google's, with the claims that it is given`() async throws {
        let issuer = try await RunningIssuer()
        let apple = try await issuer.claims("/tokens/apple")
        #expect(apple.issuer == issuer.url + "/apple")
        #expect(apple.audience == ["com.example.kidoban"])
        #expect(apple["nonce_supported"] == true)
        let google = try await issuer.claims("/tokens/google", #"{"sub":"7","nonce":"n","email":null,"aud":["a","b"],"exp":5}"#)
        #expect(google.issuer == issuer.url + "/google")
        #expect(google.subject == "7")
        #expect(google.audience == ["a", "b"])
        #expect(google["nonce"] == "n")
        #expect(google["email"] == nil)
        #expect(google.expiresAt?.seconds == 5)
        #expect(try await issuer.claims("/tokens").issuer == issuer.url)
        #expect(try await issuer.claims("/tokens?alg=ES256", allowing: [.es256]).subject == "demo-user")
    }

    @Test func `keys are rotated on request, and the ones before are still published unless they are to go`() async throws {
        let issuer = try await RunningIssuer()
        let token = try UnverifiedJWS.parse(try await issuer.token("/tokens"))
        #expect(try await issuer.http.send("POST", "/keys/rotate").status == 200)
        let next = try UnverifiedJWS.parse(try await issuer.token("/tokens"))
        #expect(next.header.keyID != token.header.keyID)
        for token in [token, next] { _ = try token.verify(with: try await issuer.keys(), allowing: [.rs256]) }
        #expect(try await issuer.http.send("POST", "/keys/rotate?forget=true").status == 200)
        for token in [token, next] {
            let keys = try await issuer.keys()
            #expect(throws: JOSEError.unknownKey) { try token.verify(with: keys, allowing: [.rs256]) }
        }
    }

    @Test func `what it cannot sign is refused`() async throws {
        let issuer = try await RunningIssuer()
        let json = [(name: "Content-Type", value: "application/json")]
        #expect(try await issuer.http.send("POST", "/tokens", json, body: "[]").status == 400)
        #expect(try await issuer.http.send("POST", "/tokens", json, body: "{").status == 400)
        #expect(try await issuer.http.send("POST", "/tokens?alg=none", json, body: "{}").status == 400)
        #expect(try await issuer.http.send("POST", "/tokens?alg=PS256", json, body: "{}").status == 400)
        #expect(
            try await issuer.http.send("POST", "/tokens", [(name: "Content-Type", value: "text/plain")], body: "{}").status == 415
        )
        #expect(try await issuer.http.send("POST", "/tokens/apple").status == 200)
        #expect(try await issuer.http.send("GET", "/").text.contains("/keys/rotate"))
    }

    private static let form = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    private static let verifier = String(repeating: "v", count: 43)

    private func authorize(_ path: String, _ more: [(name: String, value: String)] = []) -> String {
        let fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", "http://localhost:1/back?a=1"),
            ("state", "s&<>"), ("nonce", "n-1"), ("code_challenge", Base64URL.encode(SHA256.hash(Self.verifier).bytes)),
            ("code_challenge_method", "S256"),
        ]
        let replaced = Set(more.map(\.name))
        return path + "?" + PercentEncoding.encode(fields: fields.filter { !replaced.contains($0.name) } + more)
    }

    /// Signs somebody in; the code.
    private func code(_ issuer: RunningIssuer) async throws -> String {
        let answer = try await issuer.http.send(
            "POST", authorize("/google/authorize"), Self.form, body: "email=kana%40gmail.com&name=Kana")
        let location = try #require(answer.value("Location"))
        let start = "http://localhost:1/back?a=1&code="
        #expect(answer.status == 303 && location.hasPrefix(start) && location.hasSuffix("&state=s%26%3C%3E"), "\(location)")
        return String(location.dropFirst(start.count).prefix { $0 != "&" })
    }

    private func exchange(
        _ issuer: RunningIssuer, _ code: String, _ more: [(name: String, value: String)] = [], at path: String = "/google/token"
    ) async throws -> JSONValue {
        let fields: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", "shop"), ("client_secret", "secret"),
            ("redirect_uri", "http://localhost:1/back?a=1"), ("code_verifier", Self.verifier),
        ]
        let replaced = Set(more.map(\.name))
        let body = PercentEncoding.encode(fields: fields.filter { !replaced.contains($0.name) } + more)
        return try JSON.parse(try await issuer.http.send("POST", path, Self.form, body: body).body)
    }

    @Test func `a code is good once, for its client, its redirect URI and its verifier`() async throws {
        let issuer = try await RunningIssuer()
        #expect(try await issuer.http.send("GET", authorize("/google/authorize")).text.contains("<form method=\"post\">"))
        let code = try await code(issuer)
        let tokens = try await exchange(issuer, code)
        let token = try #require(tokens["id_token"]?.stringValue)
        let claims = try UnverifiedJWS.parse(token).verify(with: try await issuer.keys(), allowing: [.rs256]).claims()
        #expect(claims.issuer == issuer.url + "/google" && claims.audience == ["shop"] && claims["nonce"] == "n-1")
        #expect(claims["email"] == "kana@gmail.com" && claims["email_verified"] == false && claims["name"] == "Kana")
        #expect(try await exchange(issuer, code)["error"] == "invalid_grant")
        let wrongs: [(name: String, value: String)] = [
            ("code_verifier", "other"), ("redirect_uri", "http://localhost:1/"), ("client_id", "another"),
        ]
        for wrong in wrongs {
            #expect(try await exchange(issuer, try await self.code(issuer), [wrong])["error"] == "invalid_grant", "\(wrong)")
        }
        #expect(try await exchange(issuer, try await self.code(issuer), at: "/token")["error"] == "invalid_grant")
        #expect(try await exchange(issuer, "x", [("client_secret", "")])["error"] == "invalid_client")
        #expect(try await exchange(issuer, "x", at: "/apple/token")["error"] == "invalid_client")
        #expect(try await exchange(issuer, "x", [("grant_type", "password")])["error"] == "unsupported_grant_type")
        #expect(try await issuer.http.send("POST", "/apple/revoke", Self.form, body: "token=x").status == 200)
    }

    @Test func `Apple's answer is a form, in which everything is escaped`() async throws {
        let issuer = try await RunningIssuer()
        let target = authorize(
            "/apple/authorize", [("response_mode", "form_post"), ("scope", "name email"), ("client_id", "<b>")])
        #expect(try await issuer.http.send("GET", target).text.contains("&lt;b&gt;"))
        let page = try await issuer.http.send("POST", target, Self.form, body: "email=k%40a.example&name=K%20%22T%22").text
        #expect(page.contains("<form method=\"post\" action=\"http://localhost:1/back?a=1\">"))
        #expect(page.contains("name=\"state\" value=\"s&amp;&lt;&gt;\"") && page.contains("name=\"code\""))
        #expect(page.contains("&quot;firstName&quot;:&quot;K&quot;"))
        let denied = try await issuer.http.send("POST", target, Self.form, body: "decision=cancel").text
        #expect(denied.contains("value=\"user_cancelled_authorize\"") && !denied.contains("name=\"code\""))
    }

    @Test func `a request that Apple or Google would refuse leads nowhere`() async throws {
        let issuer = try await RunningIssuer()
        let wrongs: [(name: String, value: String)] = [
            ("response_type", "token"), ("client_id", ""), ("redirect_uri", "javascript:alert(1)"),
            ("redirect_uri", "http://a.example/#b"), ("response_mode", "fragment"), ("code_challenge_method", "plain"),
        ]
        for wrong in wrongs {
            for method in ["GET", "POST"] {
                let answer = try await issuer.http.send(
                    method, authorize("/google/authorize", [wrong]), Self.form, body: method == "POST" ? "email=a%40b.c" : nil)
                #expect(answer.status == 400 && answer.value("Location") == nil, "\(wrong)")
            }
        }
        #expect(try await issuer.http.send("GET", authorize("/apple/authorize", [("scope", "name")])).status == 400)
    }

    @Test(arguments: ["https://id.example.com", "https://192.0.2.1"])
    func `beside a public issuer it refuses to run`(_ issuer: String) async throws {
        let outcome = try await Kidoban.run("dev-issuer", "--listen", "127.0.0.1:0", environment: ["KIDOBAN_ISSUER": issuer])
        #expect(outcome.status == 78)
        #expect(outcome.output.contains("KIDOBAN_ISSUER"))
    }

    @Test(arguments: ["0.0.0.0:0", ":0", "192.0.2.1:0"])
    func `on an address of others it refuses to run`(_ address: String) async throws {
        #expect(try await Kidoban.run("dev-issuer", "--listen", address).status == 64)
    }

    @Test func `it ends when it is told to`() async throws {
        let issuer = try await RunningIssuer()
        issuer.process.send(15)
        let process = issuer.process
        try await eventually { !process.isRunning }
        #expect(process.waitForExit() == 0)
    }
}

@Suite(.needsProgram)
struct ExplainIDTokenTests {
    private func settings(_ issuer: RunningIssuer) -> [String: String] {
        [
            "KIDOBAN_APPLE_CLIENT_IDS": "com.example.kidoban", "KIDOBAN_APPLE_ISSUERS": issuer.url + "/apple",
            "KIDOBAN_APPLE_JWKS_URL": issuer.url + "/keys",
        ].merging(TestEnvironment.patience) { $1 }
    }

    private func lines(_ outcome: Kidoban.Outcome, _ word: String) -> [String] {
        outcome.output.split(separator: "\n").filter { $0.hasPrefix("  " + word) }.map(String.init)
    }

    @Test func `a good token holds in every respect, as often as it is explained`() async throws {
        let issuer = try await RunningIssuer()
        let token = try await issuer.token("/tokens/apple", #"{"nonce":"n"}"#)
        for _ in 1...2 {
            let outcome = try await Kidoban.run("explain", "id-token", token, "--nonce", "n", environment: settings(issuer))
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(lines(outcome, "holds").count == 12)
            #expect(!outcome.output.contains(token))
        }
    }

    @Test func `exactly what is wrong is said`() async throws {
        let issuer = try await RunningIssuer()
        let token = try await issuer.token("/tokens/apple", #"{"aud":"com.x.app.dev","exp":1000}"#)
        let directory = try TestDirectory()
        let path = "\(directory.path)/token"
        try TestFile.write("\n  \(token)\r\n", to: path)
        let outcome = try await Kidoban.run("explain", "id-token", "--file", path, environment: settings(issuer))
        #expect(outcome.status == 1)
        let failures = lines(outcome, "FAILS")
        #expect(failures.count == 2)
        #expect(failures.first?.contains("aud is com.x.app.dev, configured are com.example.kidoban (wrong_audience)") == true)
        #expect(failures.last?.contains("exp is 1970-01-01T00:16:40.000Z") == true)
    }

    @Test func `what cannot be explained is said`() async throws {
        let issuer = try await RunningIssuer()
        let none = try await Kidoban.run("explain", "id-token", "x")
        #expect(none.status == 1 && none.output.contains("KIDOBAN_APPLE_CLIENT_IDS"))
        let two = settings(issuer).merging(["KIDOBAN_GOOGLE_CLIENT_IDS": "x"]) { $1 }
        let ambiguous = try await Kidoban.run("explain", "id-token", "x", environment: two)
        #expect(ambiguous.status == 1 && ambiguous.output.contains("--provider: apple, google"))
        let empty = try await Kidoban.run("explain", "id-token", environment: settings(issuer))
        #expect(empty.status == 1 && empty.output.contains("there is no token"))
        let away = settings(issuer).merging(["KIDOBAN_APPLE_JWKS_URL": "http://127.0.0.1:1/keys"]) { $1 }
        let unreachable = try await Kidoban.run("explain", "id-token", "x", environment: away)
        #expect(unreachable.status == 1 && unreachable.output.contains("http://127.0.0.1:1/keys cannot be fetched"))
        let garbage = try await Kidoban.run("explain", "id-token", "x", environment: settings(issuer))
        #expect(garbage.status == 1 && lines(garbage, "FAILS").first?.contains("form") == true)
    }
}
