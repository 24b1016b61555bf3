import Crypto
import Identity
import JOSE
import Outbound
import Server
import TestSupport
import Testing
import Text

/// From a sign-in with Apple's code to the revocation after the account's end, over HTTP, with Apple on this machine.
@Suite(.serialized, .needsServers, .timeLimit(.minutes(5))) struct AppleCodeTests {
    private static let key = Result { try SigningKey.generate(.rs256()) }
    private static let subject = "001234.abcdef"
    private static let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"

    private let signer: JWSSigner

    init() throws {
        signer = JWSSigner(key: try Self.key.get(), type: nil, keyID: "k1")
    }

    /// Apple: its keys, its token endpoint, its revocation endpoint.
    private func apple(_ clock: TestClock, token: TestHTTPServer.Answer? = nil) throws -> TestHTTPServer {
        let signer = signer
        return try TestHTTPServer.start { request in
            switch request.target {
            case "/keys":
                return .response(status: 200, body: String(decoding: JWKSet([signer.jwk]).rendered, as: UTF8.self))
            case "/token":
                let idToken = (try? Self.idToken(signer, clock)) ?? ""
                let tokens: JSONValue = ["refresh_token": "apple-refresh", "id_token": .string(idToken)]
                return token ?? .response(status: 200, body: String(decoding: tokens.serialized, as: UTF8.self))
            default: return .response(status: 200)
            }
        }
    }

    private static func idToken(_ signer: JWSSigner, _ clock: TestClock, codeHash: String? = nil) throws -> String {
        var claims = JSONObject()
        claims["iss"] = "https://appleid.apple.com"
        claims["aud"] = "app.town.example"
        claims["sub"] = .string(subject)
        claims["iat"] = .integer(clock.now.seconds)
        claims["exp"] = .integer(clock.now.seconds + 600)
        claims["email"] = "anna@privaterelay.appleid.com"
        claims["email_verified"] = "true"
        claims["jti"] = .string(String(UInt64.random(in: .min ... .max)))
        claims["c_hash"] = codeHash.map { .string($0) }
        return try signer.sign(JSONValue.object(claims).serialized)
    }

    /// - Parameter patience: for an answer of Apple's. A code that is under way holds up the end of a copy for as long.
    private func installation(
        patience: Duration = .seconds(30), _ apple: (TestClock) throws -> TestHTTPServer
    ) throws -> (Installation, TestHTTPServer) {
        let server = try apple(TestClock())
        let pem =
            "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(try SigningKey.generate(.es256).exportPKCS8().revealedBytes))\n"
            + "-----END PRIVATE KEY-----"
        let installation = try Installation { configuration in
            configuration.federation.apple = .apple(clientIDs: ["app.town.example"])
            configuration.federation.apple.keySetURL = server.url("/keys")
            configuration.providerTokens.appleTeamID = "TEAM123456"
            configuration.providerTokens.appleKeyID = "KEY1234567"
            configuration.providerTokens.applePrivateKey = AppleCredentials.PrivateKey(pem: SecretString(pem))
            configuration.providerTokens.appleTokenURL = server.url("/token")
            configuration.providerTokens.appleRevokeURL = server.url("/revoke")
            configuration.outbound.timeout = patience
        }
        return (installation, server)
    }

    private func signIn(_ installation: Installation, codeHash: String? = nil) async throws -> TestHTTPResponse {
        let token = try Self.idToken(signer, installation.clock, codeHash: codeHash)
        let body: JSONValue = [
            "oauth_provider": "apple", "id_token": .string(token), "authorization_code": .string(Self.code),
        ]
        return try await installation.server.post("/auth/oauth", body)
    }

    @Test func `a code is exchanged, and the token revoked once the account is deleted`() async throws {
        let (installation, apple) = try installation { clock in try self.apple(clock) }
        try await installation.run { installation in
            // OpenID Connect Core, appendix A.4.
            let answer = try await signIn(installation, codeHash: "LDktKdoQak3Pk0cnXxCltA")
            let account = try Account(answer)
            try await eventually { apple.requests.contains { $0.target == "/token" && $0.text.contains("code=\(Self.code)") } }
            let deleted = try await installation.server.delete("/auth/me", bearer: account.accessToken)
            #expect(deleted.status == 204)
            try await eventually { apple.requests.contains { $0.target == "/revoke" } }
            let revocation = try #require(apple.requests.first { $0.target == "/revoke" })
            #expect(revocation.text.contains("token=apple-refresh") && revocation.text.contains("client_id=app.town.example"))
        }
    }

    @Test func `an Apple that says nothing or no keeps nobody from signing in`() async throws {
        for answer in [TestHTTPServer.Answer.silence, .response(status: 400, body: #"{"error":"invalid_grant"}"#)] {
            let (installation, apple) = try installation(patience: .seconds(10)) { clock in
                try self.apple(clock, token: answer)
            }
            try await installation.run { installation in
                let account = try Account(try await signIn(installation))
                #expect(try await installation.server.get("/auth/me", bearer: account.accessToken).status == 200)
                try await eventually { apple.requests.contains { $0.target == "/token" } }
            }
        }
    }

    @Test func `a code that the id token does not name is refused, and so is the sign-in`() async throws {
        let (installation, apple) = try installation { clock in try self.apple(clock) }
        try await installation.run { installation in
            let answer = try await signIn(installation, codeHash: "77QmUPtjPfzWtF2AnpK9RQ")
            #expect(answer.status == 401)
            #expect(!apple.requests.contains { $0.target == "/token" })
        }
    }
}
