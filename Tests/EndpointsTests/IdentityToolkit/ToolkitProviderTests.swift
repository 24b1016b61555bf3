import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// Sign-in with providers, and what is linked.
@Suite(.needsServers, .installation { ToolkitProviderTestsConfiguration.apply(&$0) })
struct ToolkitProviderTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: ToolkitClient { get throws { try ToolkitClient(http: server) } }

    /// What an app sends. That of iOS is decoded: JSON and blanks are in it.
    private func signIn(
        _ provider: String, _ token: String, _ further: String = "", idToken: String? = nil, returnsCredential: Bool = true
    ) async throws -> TestHTTPResponse {
        var body = JSONObject()
        body["postBody"] = .string("providerId=\(provider).com&id_token=\(token)\(further)")
        body["requestUri"] = "http://localhost"
        body["returnSecureToken"] = true
        body["returnIdpCredential"] = .bool(returnsCredential)
        body["autoCreate"] = true
        if let idToken { body["idToken"] = .string(idToken) }
        return try await client.call("signInWithIdp", .object(body))
    }

    @Test func `Google makes an account once, and signs in to it from then on`() async throws {
        let person = Person()
        let answer = try await signIn(
            "google", TestProvider.google(person, ["name": "Hanako", "picture": "https://example.com/p.png"]))
        let user = try ToolkitClient.SignedIn(answer)
        #expect(answer.json["isNewUser"] == true && answer.json["displayName"] == "Hanako")
        #expect(answer.json["federatedId"] == .string("https://accounts.google.com/\(person.subject)"))
        #expect(user.claims?["firebase"]?["sign_in_provider"] == "google.com")
        #expect(user.claims?["firebase"]?["identities"]?["google.com"] == .array([.string(person.subject)]))
        let again = try await signIn("google", TestProvider.google(person))
        #expect(again.json["isNewUser"] == nil && again.json["localId"] == .string(user.localID), "\(again.text)")
        let info = try await client.call("lookup", ["idToken": .string(user.idToken)]).json["users"]?.arrayValue?.first
        #expect(info?["providerUserInfo"]?.arrayValue?.first?["rawId"] == .string(person.subject))
        #expect(info?["passwordHash"] == nil && info?["emailVerified"] == true)
    }

    @Test func `Apple tells the name beside the token, with the nonce and in a form that is decoded`() async throws {
        let person = Person(at: "example.com")
        let answer = try await signIn(
            "apple", TestProvider.apple(person, nonce: "raw nonce"),
            #"&nonce=raw nonce&user={"name":{"firstName":"花子 & 太郎","lastName":"100%"}}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["providerId"] == "apple.com" && answer.json["emailVerified"] == true)
        let wrong = try await signIn("apple", TestProvider.apple(person, nonce: "one"), "&nonce=another")
        #expect(wrong.failure?.hasPrefix("MISSING_OR_INVALID_NONCE : ") == true)
        let forged = try await signIn("apple", TestProvider.apple(person, isForged: true))
        #expect(forged.failure?.hasPrefix("INVALID_IDP_RESPONSE : ") == true)
        #expect(try await signIn("oidc.nobody", "x.y.z").failure?.hasPrefix("INVALID_CREDENTIAL_OR_PROVIDER_ID : ") == true)
    }

    @Test func `an address that the provider does not answer for takes over nothing`() async throws {
        let user = try await client.signUp()
        var person = Person(at: "example.com")
        person.email = user.email
        let answer = try await signIn("google", TestProvider.google(person, ["email_verified": false]))
        #expect(answer.status == 200 && answer.json["needConfirmation"] == true, "\(answer.text)")
        #expect(answer.json["verifiedProvider"] == [] && answer.json["idToken"] == nil && answer.json["localId"] == nil)
    }

    @Test func `an identity is linked and unlinked, and nobody links another's`() async throws {
        let (client, person) = (try client, Person())
        let user = try await client.signUp()
        let linked = try ToolkitClient.SignedIn(await signIn("google", TestProvider.google(person), idToken: user.idToken))
        #expect(linked.localID == user.localID && linked.email == person.email)
        #expect(try await client.call("lookup", ["idToken": .string(user.idToken)]).failure == "TOKEN_EXPIRED")
        #expect(try await signIn("google", TestProvider.google(person)).json["localId"] == .string(user.localID))
        let other = try await client.signUp()
        let token = try TestProvider.google(person)
        let told = try await signIn("google", token, idToken: other.idToken)
        #expect(told.status == 200 && told.json["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(told.json["idToken"] == nil && told.json["oauthIdToken"] == .string(token))
        let refused = try await signIn("google", token, idToken: other.idToken, returnsCredential: false)
        #expect(refused.failure == "FEDERATED_USER_ID_ALREADY_LINKED")
        // The app goes on with the credential of the error.
        #expect(try await signIn("google", token).json["localId"] == .string(user.localID))
        let unlinked = try await client.call("update", ["idToken": .string(linked.idToken), "deleteProvider": ["google.com"]])
        #expect(unlinked.json["providerUserInfo"]?.arrayValue?.count == 1, "\(unlinked.text)")
        let apple = try ToolkitClient.SignedIn(
            await signIn("apple", TestProvider.apple(Person(at: "example.com"), ["email": .null])))
        let last = try await client.call("update", ["idToken": .string(apple.idToken), "deleteProvider": ["apple.com"]])
        #expect(last.failure == "OPERATION_NOT_ALLOWED")
    }

    @Test func `unlinking ends what began with the identity, but for the session that asks`() async throws {
        let (client, google, apple) = (try client, Person(), Person(at: "example.com"))
        let user = try await client.signUp()
        let first = try ToolkitClient.SignedIn(await signIn("google", TestProvider.google(google), idToken: user.idToken))
        let asking = try ToolkitClient.SignedIn(await signIn("apple", TestProvider.apple(apple), idToken: first.idToken))
        let byPassword = try ToolkitClient.SignedIn(
            await client.call("signInWithPassword", ["email": .string(user.email), "password": .string(Account.password)]))
        let others = [
            try ToolkitClient.SignedIn(await signIn("google", TestProvider.google(google))),
            try ToolkitClient.SignedIn(await signIn("apple", TestProvider.apple(apple))),
        ]
        let unlinked = try await client.call(
            "update", ["idToken": .string(asking.idToken), "deleteProvider": ["google.com", "apple.com"]])
        #expect(unlinked.status == 200, "\(unlinked.text)")
        for other in others {
            #expect(try await client.call("lookup", ["idToken": .string(other.idToken)]).failure == "TOKEN_EXPIRED")
            #expect(try await client.refresh(other.refreshToken).failure == "TOKEN_EXPIRED")
        }
        for kept in [asking, byPassword] {
            #expect(try await client.call("lookup", ["idToken": .string(kept.idToken)]).status == 200)
            #expect(try await client.refresh(kept.refreshToken).status == 200)
        }
    }

    @Test func `who takes the password away stays signed in`() async throws {
        let (client, person) = (try client, Person())
        let user = try await client.signUp()
        let linked = try ToolkitClient.SignedIn(await signIn("google", TestProvider.google(person), idToken: user.idToken))
        let credentials: JSONValue = ["email": .string(user.email), "password": .string(Account.password)]
        let other = try ToolkitClient.SignedIn(await client.call("signInWithPassword", credentials))
        let installation = try #require(installation)
        try installation.change(user.email, "email_verified = true")
        let unlinked = try await client.call("update", ["idToken": .string(linked.idToken), "deleteProvider": ["password"]])
        // The owner is told, with the link that undoes it.
        let notices = try installation.mails(to: user.email).filter { $0.kind == "password_changed" }
        #expect(notices.count == 1 && notices.first?.link.contains("code=") == true)
        #expect(unlinked.status == 200 && unlinked.json["passwordHash"] == nil, "\(unlinked.text)")
        #expect(try await client.call("lookup", ["idToken": .string(linked.idToken)]).status == 200)
        #expect(try await client.refresh(linked.refreshToken).status == 200)
        #expect(try await client.call("lookup", ["idToken": .string(other.idToken)]).failure == "TOKEN_EXPIRED")
        #expect(try await client.call("signInWithPassword", credentials).failure == "INVALID_PASSWORD")
    }

    @Test func `an anonymous user of long ago takes an identity and its address along`() async throws {
        let (client, person) = (try client, Person())
        let anonymous = try ToolkitClient.SignedIn(await client.call("signUp", ["returnSecureToken": true]))
        let answer = try await signIn("google", TestProvider.google(person), idToken: anonymous.idToken)
        let named = try ToolkitClient.SignedIn(answer)
        #expect(named.localID == anonymous.localID && named.claims?["email"] == .string(person.email))
        #expect(named.claims?["firebase"]?["sign_in_provider"] == "google.com" && named.claims?["provider_id"] == nil)
        #expect(try await signIn("google", TestProvider.google(person)).json["localId"] == .string(anonymous.localID))
    }

    @Test func `who is disabled is told so, and signs in nowhere`() async throws {
        let person = Person()
        let user = try ToolkitClient.SignedIn(await signIn("google", TestProvider.google(person)))
        _ = try await #require(installation).command(["user", "disable", user.localID])
        #expect(try await signIn("google", TestProvider.google(person)).json["errorMessage"] == "USER_DISABLED")
        #expect(try await client.refresh(user.refreshToken).failure == "USER_DISABLED")
    }

    @Test func `a token of Apple's is given up only by who has an account there`() async throws {
        let client = try client
        let user = try await client.signUp()
        let path = "/identitytoolkit.googleapis.com/v2/accounts:revokeToken?key=\(ToolkitClient.key)"
        let body: JSONValue = ["providerId": "apple.com", "tokenType": "3", "token": "code", "idToken": .string(user.idToken)]
        #expect(try await server.post(path, body).failure == "INVALID_PROVIDER_ID")
        #expect(try await server.post(path, ["providerId": "google.com", "token": "x"]).failure == "INVALID_PROVIDER_ID")
        #expect(try await server.post(path, ["providerId": "apple.com", "token": "x"]).failure == "MISSING_ID_TOKEN")
        // Nobody can ask Apple here.
        let apple = try ToolkitClient.SignedIn(await signIn("apple", TestProvider.apple(Person(at: "example.com"))))
        let asked: JSONValue = ["providerId": "apple.com", "tokenType": "3", "token": "code", "idToken": .string(apple.idToken)]
        #expect(try await server.post(path, asked).failure?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    }
}

private enum ToolkitProviderTestsConfiguration {
    static func apply(_ configuration: inout Configuration) {
        ToolkitClient.configure(&configuration)
        TestProvider.configure(&configuration)
        configuration.firebase.hidesAddresses = false
    }
}
