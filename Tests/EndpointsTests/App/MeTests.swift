import Crypto
import JOSE
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct MeTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    static let unauthorized = #"{"error":"Unauthorized"}"#

    private func get(_ fields: (String, String)...) async throws -> TestHTTPResponse {
        try await server.send("GET", "/auth/me", fields.map { (name: $0.0, value: $0.1) })
    }

    @Test func `the user comes bare`() async throws {
        let account = try await server.signUp()
        let response = try await server.get("/auth/me", bearer: account.accessToken)
        #expect(response.status == 200)
        #expect(response.keys == ["id", "email", "email_verified", "settings", "created_at", "updated_at"])
        #expect(response.json["id"] == .string(account.id))
        #expect(response.json["email"] == .string(account.email))
        #expect(response.value("Content-Type") == "application/json; charset=utf-8")
        #expect(response.value("Cache-Control") == "no-store")
    }

    @Test(arguments: ["bearer", "BEARER", "BeArEr"])
    func `the scheme is compared without case`(_ scheme: String) async throws {
        let account = try await server.signUp()
        #expect(try await get(("Authorization", "\(scheme) \(account.accessToken)")).status == 200)
    }

    @Test func `without a token the challenge names no error`() async throws {
        let response = try await get()
        #expect(response.status == 401)
        #expect(response.text == Self.unauthorized)
        #expect(response.value("WWW-Authenticate") == #"Bearer realm="kidoban""#)
    }

    @Test(arguments: [
        "Bearer x", "Bearer", "Bearer ", "Bearer a,b", "Bearer a b", "Bearer \t", "Bearer ü", "Digest x", "Bearer kdr_x",
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "Bearer \(String(repeating: "x", count: 10 * 1024))",
    ])
    func `anything else is refused with a challenge`(_ value: String) async throws {
        let response = try await get(("Authorization", value))
        // Bytes that are no ASCII are refused before anyone asks what they mean.
        guard response.status != 400 else { return #expect(value.contains("ü")) }
        #expect(response.status == 401)
        #expect(response.text == Self.unauthorized)
        #expect(response.value("WWW-Authenticate")?.hasPrefix(#"Bearer realm="kidoban""#) == true)
    }

    @Test func `a token that is not good is called invalid`() async throws {
        let response = try await get(("Authorization", "Bearer abc"))
        #expect(response.value("WWW-Authenticate") == #"Bearer realm="kidoban", error="invalid_token""#)
    }

    @Test func `a refresh token, a changed token and credentials are no access token`() async throws {
        let account = try await server.signUp()
        for wrong in [account.refreshToken, account.accessToken + "A", String(account.accessToken.dropLast()), account.id] {
            #expect(try await server.get("/auth/me", bearer: wrong).text == Self.unauthorized)
        }
        let basic = Credentials(id: account.email, secret: Account.password).basic
        #expect(try await get(("Authorization", basic)).status == 401)
    }

    @Test func `a token counts in its field only, and there once`() async throws {
        let token = try await server.signUp().accessToken
        #expect(try await server.get("/auth/me?access_token=\(token)").status == 401)
        #expect(try await get(("Authorization", "Bearer \(token)"), ("Authorization", "Bearer \(token)")).status == 401)
        #expect(try await get(("Authorization", "Bearer \(token), Bearer \(token)")).status == 401)
        #expect(try await get(("Cookie", "accessToken=\(token)")).status == 401)
        let body = "access_token=\(token)"
        let form: (name: String, value: String) = ("Content-Type", "application/x-www-form-urlencoded")
        #expect(try await server.send("GET", "/auth/me", [form], body: body).status == 401)
    }

    @Test func `HEAD gives the same without the body`() async throws {
        let account = try await server.signUp()
        let response = try await server.send("HEAD", "/auth/me", [("Authorization", "Bearer \(account.accessToken)")])
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        let length = try await server.get("/auth/me", bearer: account.accessToken).body.count
        #expect(response.value("Content-Length") == "\(length)")
    }

    @Test func `an access token is a JWT with what older clients read`() async throws {
        let account = try await server.signUp()
        let keys = try JWKSet.parse(await server.get("/.well-known/jwks.json").body)
        let verified = try UnverifiedJWS.parse(account.accessToken).verify(with: keys, allowing: [.es256])
        try verified.requireType("at+jwt")
        let claims = try verified.claims()
        #expect(claims.subject == account.id)
        #expect(claims["userId"] == .string(account.id))
        #expect(claims["email"] == .string(account.email))
        #expect(claims.issuer == "http://localhost:8080")
        #expect(claims.audience == ["http://localhost:8080"])
        #expect(claims["client_id"] == "app")
        #expect(claims.issuedAt == Timestamp(seconds: TestClock.start.seconds))
        #expect(claims.expiresAt == Timestamp(seconds: TestClock.start.adding(.seconds(900)).seconds))
        #expect(claims.jwtID?.isEmpty == false)
        #expect(claims["sid"]?.stringValue?.isEmpty == false)
    }

    @Test func `the token of a deleted account finds no user, until it expires`() async throws {
        let account = try await server.signUp()
        let bystander = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
        let response = try await server.get("/auth/me", bearer: account.accessToken)
        #expect(response.status == 404)
        #expect(response.text == #"{"error":"User not found"}"#)
        #expect(try await server.get("/auth/me", bearer: bystander.accessToken).status == 200)
    }
}
