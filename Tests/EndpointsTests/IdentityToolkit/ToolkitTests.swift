import Crypto
import JOSE
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation(ToolkitClient.configure))
struct ToolkitTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: ToolkitClient { get throws { try ToolkitClient(http: server) } }

    @Test(arguments: [false, true])
    func `a user signs up, signs in and is looked up, by either name of the methods`(_ isLegacy: Bool) async throws {
        var client = try client
        client.isLegacy = isLegacy
        let signedUp = try await client.signUp()
        let response = try await client.call(
            "signInWithPassword", ["email": .string(signedUp.email.uppercased()), "password": .string(Account.password)])
        let signedIn = try ToolkitClient.SignedIn(response)
        #expect(response.json["kind"] == "identitytoolkit#VerifyPasswordResponse")
        #expect(response.json["registered"] == true && response.json["expiresIn"] == "3600")
        #expect(response.json["displayName"] == "")
        #expect(signedIn.localID == signedUp.localID)
        let users = try await client.call("lookup", ["idToken": .string(signedIn.idToken)]).json["users"]?.arrayValue
        let user = try #require(users?.first)
        #expect(users?.count == 1)
        #expect(user["localId"] == .string(signedUp.localID) && user["email"] == .string(signedUp.email))
        #expect(user["passwordHash"] == "UkVEQUNURUQ=" && user["emailVerified"] == false)
        #expect(user["createdAt"]?.stringValue != nil && user["lastLoginAt"]?.stringValue != nil)
        #expect(user["providerUserInfo"]?.arrayValue?.first?["rawId"] == .string(signedUp.email))
    }

    @Test func `an id token says what Firebase's say`() async throws {
        let user = try await client.signUp()
        let claims = try #require(user.claims)
        #expect(claims["iss"] == "https://securetoken.google.com/demo-kidoban" && claims["aud"] == "demo-kidoban")
        #expect(claims["sub"] == .string(user.localID) && claims["user_id"] == .string(user.localID))
        #expect(claims["email_verified"] == false && claims["firebase"]?["sign_in_provider"] == "password")
        #expect(claims["firebase"]?["identities"]?["email"] == .array([.string(user.email)]))
        let (issuedAt, expiresAt) = (claims["iat"]?.integerValue ?? 0, claims["exp"]?.integerValue ?? 0)
        #expect(expiresAt - issuedAt == 3600 && claims["auth_time"]?.integerValue == issuedAt)
        let header = try #require(user.idToken.split(separator: ".").first.flatMap { Base64URL.decode($0) })
        let head = try JSON.parse(header)
        #expect(head["alg"] == "RS256")
        let kid = try #require(head["kid"]?.stringValue)
        let certificates = try await server.get(
            "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com")
        #expect(certificates.json[kid]?.stringValue?.hasPrefix("-----BEGIN CERTIFICATE-----\n") == true)
        #expect(certificates.value("Cache-Control")?.contains("max-age") == true)
    }

    @Test func `errors are those of the service, to the byte`() async throws {
        let client = try client
        let user = try await client.signUp()
        let taken = try await client.call("signUp", ["email": .string(user.email), "password": .string(Account.password)])
        #expect(taken.status == 400)
        #expect(
            taken.text
                == #"{"error":{"code":400,"message":"EMAIL_EXISTS","errors":[{"message":"EMAIL_EXISTS","domain":"global","reason":"invalid"}]}}"#
        )
        let weak = try await client.call("signUp", ["email": "a@example.com", "password": "short"])
        #expect(weak.failure == "WEAK_PASSWORD : Password should be at least 8 characters")
        #expect(try await client.call("signUp", ["email": "a@example.com"]).failure == "MISSING_PASSWORD")
        #expect(try await client.call("signUp", ["password": "secret-enough"]).failure == "MISSING_EMAIL")
        #expect(try await client.call("signUp", ["email": "a", "password": "secret-enough"]).failure == "INVALID_EMAIL")
        #expect(
            try await client.call("signUp", ["localId": "x", "email": "a@example.com"]).failure
                == "UNEXPECTED_PARAMETER : User ID")
        #expect(try await client.call("lookup", ["idToken": "x"]).failure == "INVALID_ID_TOKEN")
        #expect(try await client.call("lookup", JSONValue.object(JSONObject())).failure == "MISSING_ID_TOKEN")
        #expect(
            try await client.call("update", JSONValue.object(JSONObject())).failure
                == "INVALID_REQ_TYPE : Unsupported request parameters.")
    }

    @Test func `an unknown address and a wrong password are one answer`() async throws {
        let client = try client
        let user = try await client.signUp()
        let wrong = try await client.call("signInWithPassword", ["email": .string(user.email), "password": "not the password"])
        let unknown = try await client.call(
            "signInWithPassword", ["email": .string(Account.newEmail()), "password": "not the password"])
        #expect(wrong.failure == "INVALID_LOGIN_CREDENTIALS" && wrong.text == unknown.text)
    }

    @Test func `nobody calls without a key, and nobody administers with one`() async throws {
        let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp"
        let without = try await server.post(path, ["email": "a@example.com"])
        #expect(without.status == 403 && without.json["error"]?["status"] == "PERMISSION_DENIED")
        #expect(without.failure == "The request is missing a valid API key.")
        let wrong = try await server.post(path + "?key=another-key", ["email": "a@example.com"])
        #expect(wrong.status == 400 && wrong.json["error"]?["errors"]?.arrayValue?.first?["reason"] == "keyInvalid")
        let query = "/identitytoolkit.googleapis.com/v1/projects/demo-kidoban/accounts:batchGet"
        let login = try await server.get("\(query)?key=\(ToolkitClient.key)")
        let required = login.json["error"]?["errors"]?.arrayValue?.first
        #expect(login.status == 401 && login.failure?.hasPrefix("Request is missing required authentication") == true)
        #expect(required?["message"] == "Login Required." && required?["location"] == "Authorization")
        let owner = try await server.get(query, bearer: "owner")
        #expect(owner.status == 401 && owner.json["error"]?["status"] == "UNAUTHENTICATED")
        #expect(owner.json["error"]?["errors"]?.arrayValue?.first?["message"] == "Invalid Credentials")
    }

    @Test func `two refreshes of one token at once both hold, and a revoked one is over`() async throws {
        let client = try client
        let user = try await client.signUp()
        async let first = client.refresh(user.refreshToken)
        async let second = client.refresh(user.refreshToken)
        let answers = try await [first, second]
        #expect(answers.map(\.status) == [200, 200])
        #expect(answers[0].json["refresh_token"] == answers[1].json["refresh_token"])
        #expect(answers[0].json["access_token"] == answers[0].json["id_token"])
        #expect(answers[0].json["user_id"] == .string(user.localID) && answers[0].json["expires_in"] == "3600")
        let next = try #require(answers[0].json["refresh_token"]?.stringValue)
        let deleted = try await client.call("delete", ["idToken": .string(user.idToken)])
        #expect(deleted.text == #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
        #expect(try await client.refresh(next).failure == "USER_NOT_FOUND")
        #expect(try await client.refresh("garbage").failure == "INVALID_REFRESH_TOKEN")
        #expect(try await client.call("lookup", ["idToken": .string(user.idToken)]).failure == "USER_NOT_FOUND")
    }

    @Test func `it is the same user and the same session at every other API`() async throws {
        let client = try client
        let user = try await client.signUp()
        let login = try await server.post(
            "/auth/login", ["email": .string(user.email), "password": .string(Account.password)])
        let account = try Account(login)
        #expect(account.id == user.localID)
        let sessions = try await server.get("/auth/sessions", bearer: account.accessToken)
        #expect(sessions.json["sessions"]?.arrayValue?.count == 2, "\(sessions.text)")
        _ = try await server.delete("/auth/sessions", bearer: account.accessToken)
        #expect(try await client.call("lookup", ["idToken": .string(user.idToken)]).failure == "TOKEN_EXPIRED")
        #expect(try await client.refresh(user.refreshToken).failure == "TOKEN_EXPIRED")
    }

    @Test func `a name is set and cleared, and a new password ends the other sessions`() async throws {
        let client = try client
        let user = try await client.signUp()
        let other = try ToolkitClient.SignedIn(
            await client.call("signInWithPassword", ["email": .string(user.email), "password": .string(Account.password)]))
        let named = try await client.call(
            "update", ["idToken": .string(user.idToken), "displayName": "Hanako", "returnSecureToken": true])
        #expect(named.json["displayName"] == "Hanako" && named.json["idToken"] == nil)
        let cleared = try await client.call("update", ["idToken": .string(user.idToken), "displayName": nil])
        #expect(cleared.status == 200 && cleared.json["displayName"] == nil)
        let changed = try ToolkitClient.SignedIn(
            await client.call("update", ["idToken": .string(user.idToken), "password": "another password"]))
        #expect(try await client.call("lookup", ["idToken": .string(other.idToken)]).failure == "TOKEN_EXPIRED")
        #expect(try await client.call("lookup", ["idToken": .string(changed.idToken)]).status == 200)
        let old = try await client.call(
            "signInWithPassword", ["email": .string(user.email), "password": .string(Account.password)])
        #expect(old.failure == "INVALID_LOGIN_CREDENTIALS")
    }

    @Test func `twenty sign-ups of one address make one user`() async throws {
        let client = try client
        let email = Account.newEmail()
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await client.call("signUp", ["email": .string(email), "password": .string(Account.password)])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.failure == "EMAIL_EXISTS" })
    }

    @Test func `a client with keys that is no service account signs nobody in`() async throws {
        let (client, installation, directory) = (try client, try #require(installation), try TestDirectory())
        let user = try await client.signUp()
        let key = try SigningKey.generate(.rs256())
        try TestFile.write(
            JWKSet([JWK(key: key.publicKey, algorithm: .rs256, keyID: "one")]).rendered, to: "\(directory.path)/keys")
        let scope = "https://www.googleapis.com/auth/identitytoolkit"
        for (scope, isAccount) in [("read", false), (scope, true)] {
            let app = try await installation.relyingParty(
                "--service", "--scope", scope, "--auth-method", "private_key_jwt", "--jwks", "\(directory.path)/keys")
            let (email, now) = ("\(app.id)@\(ToolkitClient.project).iam.gserviceaccount.com", installation.clock.now)
            let claims: JSONValue = [
                "iss": .string(email), "sub": .string(email), "uid": .string(user.localID), "iat": .integer(now.seconds),
                "exp": .integer(now.seconds + 600),
                "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
            ]
            let token = try JWSSigner(key: key, type: nil, keyID: "one").sign(claims.serialized)
            let answer = try await client.call("signInWithCustomToken", ["token": .string(token)])
            #expect(answer.status == (isAccount ? 200 : 400), "\(answer.text)")
            #expect(isAccount || answer.failure?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
        }
    }

    @Test func `an anonymous user keeps the id when they name themselves`() async throws {
        let client = try client
        let anonymous = try ToolkitClient.SignedIn(await client.call("signUp", ["returnSecureToken": true]))
        #expect(anonymous.claims?["firebase"]?["sign_in_provider"] == "anonymous")
        let named = try ToolkitClient.SignedIn(
            await client.call(
                "signUp",
                [
                    "idToken": .string(anonymous.idToken), "email": .string(Account.newEmail()),
                    "password": .string(Account.password),
                ]))
        #expect(named.localID == anonymous.localID && named.claims?["firebase"]?["sign_in_provider"] == "password")
    }
}
