import Crypto
import Identity
import JOSE
import TestSupport
import Testing
import Text

/// Tokens with a signature that holds, made with the server's own key but not by the server.
@Suite(.needsServers, .installation())
struct ForgedTokenTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// Signs claims with the key from the database.
    private func sign(_ claims: JSONValue, type: String = "at+jwt") throws -> String {
        let query = "SELECT kid, encode(sealed_private_key, 'hex') FROM signing_keys"
        let installation = try #require(installation)
        let row = try #require(try TestDatabase.rows(query, on: installation.databaseURL).first)
        let masterKey = try #require(MasterKey(SecretString(installation.masterKey)))
        let sealed = SealedKey(kid: row[0], sealed: try #require(Hex.decode(row[1])))
        let signer = JWSSigner(key: try SigningKey(pkcs8DER: sealed.open(with: masterKey)), type: type, keyID: row[0])
        return try signer.sign(claims.serialized)
    }

    private func claims(subject: String) -> JSONValue {
        [
            "iss": "http://localhost:8080", "aud": "http://localhost:8080", "sub": .string(subject), "client_id": "app",
            "jti": "00000000-0000-7000-8000-000000000001", "iat": .integer(TestClock.start.seconds),
            "exp": .integer(TestClock.start.seconds + 900), "sid": "AAAAAAAAAAAAAAAAAAAAAA", "scope": "account",
        ]
    }

    @Test func `what the server has not issued is no token, whoever signed it`() async throws {
        let account = try await server.signUp()
        let backend = try await #require(installation).backend()
        let nobody = "00000000-0000-7000-8000-000000000000"
        for (token, status) in [
            (try sign(claims(subject: account.id)), 401), (try sign(claims(subject: "not an id")), 401),
            (try sign(claims(subject: "")), 401), (try sign(claims(subject: account.id), type: "JWT"), 401),
            // Whoever holds the key may learn that there is no such user.
            (try sign(claims(subject: nobody)), 404), (try sign(claims(subject: nobody), type: "JWT"), 401),
        ] {
            #expect(try await server.get("/auth/me", bearer: token).status == status)
            #expect(try await server.introspect(token, backend).text == #"{"active":false}"#)
        }
    }

    @Test func `the key of a stranger opens nothing`() async throws {
        let stranger = JWSSigner(key: try SigningKey.generate(.es256), type: "at+jwt")
        let nobody = claims(subject: "00000000-0000-7000-8000-000000000000")
        let token = try stranger.sign(nobody.serialized)
        #expect(try await server.get("/auth/me", bearer: token).status == 401)
        let ours = try sign(nobody)
        let (head, foreign) = (ours.split(separator: ".").prefix(2), token.split(separator: ".").suffix(1))
        #expect(try await server.get("/auth/me", bearer: (head + foreign).joined(separator: ".")).status == 401)
    }
}
