import Server
import TestSupport
import Testing
import Text

/// `POST /auth/oauth` with a proof: who is signed in, and as whom.
@Suite(.needsServers, .installation(copies: 2) { TestProvider.configure(&$0) })
struct OAuthSignInTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var other: TestHTTPClient { get throws { try #require(installation).copies[1].http } }

    static let refused = #"{"error":"Invalid OAuth token"}"#

    @Test func `a new user is made and signed in, on every copy`() async throws {
        let person = Person()
        let response = try await server.signIn("google", TestProvider.google(person))
        #expect(response.status == 200, "\(response.text)")
        #expect(response.keys == ["token", "accessToken", "refreshToken", "user"])
        #expect(response.json["token"] == response.json["accessToken"])
        let user = response.json["user"]
        #expect(
            user?.keys == ["id", "email", "oauth_provider", "email_verified", "settings", "created_at", "updated_at"])
        #expect(user?["oauth_provider"] == "google")
        #expect(user?["email"] == .string(person.email))
        #expect(user?["email_verified"] == true)
        #expect(response.value("Cache-Control") == "no-store")
        let account = try Account(response)
        let me = try await other.get("/auth/me", bearer: account.accessToken)
        #expect(me.status == 200)
        #expect(me.json["oauth_provider"] == "google")
        #expect(try await other.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 200)
    }

    @Test func `a known user, a second device and another copy are the same user`() async throws {
        let person = Person()
        let first = try Account(await server.signIn("google", TestProvider.google(person)))
        var moved = person
        moved.email = Person().email
        let again = try Account(await server.signIn("google", TestProvider.google(moved)))
        let device = try Account(await other.signIn("google", TestProvider.google(person), ["rotate": true]))
        #expect(Set([first.id, again.id, device.id]).count == 1)
        // Who has another address there is the same here.
        #expect(again.email == person.email)
        let sessions = try await server.get("/auth/sessions", bearer: device.accessToken)
        #expect(sessions.json["sessions"]?.arrayValue?.count == 3)
    }

    @Test func `two first sign-ins at once make one user`() async throws {
        let person = Person()
        let copies = try [server, other]
        let responses = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for index in 0..<20 {
                let token = try TestProvider.google(person)
                group.addTask { try await copies[index % 2].signIn("google", token) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.allSatisfy { $0.status == 200 })
        let accounts = try responses.map { try Account($0) }
        #expect(Set(accounts.map(\.id)).count == 1)
        for account in accounts { #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 200) }
    }

    @Test(arguments: ["/auth/oauth", "/auth/oauth/login", "/auth/oauth-login"])
    func `every path and every name of the token will do`(path: String) async throws {
        let person = Person()
        var ids: Set<String> = []
        for name in ["id_token", "identity_token", "identityToken", "idToken"] {
            var body = JSONObject([.init(key: "oauth_provider", value: "google")])
            body[name] = .string(try TestProvider.google(person))
            ids.insert(try Account(await server.post(path, .object(body))).id)
        }
        #expect(ids.count == 1)
        let another = JSONValue.string(try TestProvider.google(person))
        let response = try await server.signIn("google", TestProvider.google(person), ["idToken": another], at: path)
        #expect(response.status == 401)
    }

    @Test func `Apple's nonce is sent raw, and its name is kept from the first time`() async throws {
        let person = Person(at: "icloud.example")
        let nonce = Person.unique()
        let first = try await server.signIn(
            "apple", TestProvider.apple(person, nonce: nonce),
            ["nonce": .string(nonce), "name": " Mei ", "email": .string(person.email), "oauth_id": .string(person.subject)])
        #expect(first.status == 200, "\(first.text)")
        #expect(first.json["user"]?["name"] == "Mei")
        #expect(first.json["user"]?["oauth_provider"] == "apple")
        #expect(first.json["user"]?["email_verified"] == true)
        // From now on Apple tells neither name nor, perhaps, address; and apps send what they have.
        for members: KeyValuePairs<String, JSONValue> in [[:], ["email": ""], ["email": nil, "name": nil, "nonce": nil]] {
            let again = try await server.signIn("apple", TestProvider.apple(person, ["email": nil]), members)
            #expect(again.json["user"]?["id"] == first.json["user"]?["id"])
            #expect(again.json["user"]?["name"] == "Mei")
        }
    }

    @Test func `the address is the token's, whatever the body says`() async throws {
        let (person, victim) = (Person(), Account.newEmail())
        let response = try await server.signIn("google", TestProvider.google(person), ["email": .string(victim)])
        #expect(response.json["user"]?["email"] == .string(person.email))
        #expect(
            try await server.post("/auth/register", ["email": .string(victim), "password": .string(Account.password)]).status
                == 201)
    }

    @Test func `where the token has no address the body's is taken, unverified, or none is an error`() async throws {
        let (person, email) = (Person(), Account.newEmail())
        let nothing = try await server.signIn("apple", TestProvider.apple(person, ["email": nil]))
        #expect(nothing.status == 400)
        #expect(nothing.text == #"{"error":"Invalid input","details":[\#(RegisterRefusalTests.missingEmail)]}"#)
        let token = try TestProvider.apple(person, ["email": nil])
        let response = try await server.signIn("apple", token, ["email": .string(email)])
        #expect(response.status == 200)
        #expect(response.json["user"]?["email"] == .string(email))
        #expect(response.json["user"]?["email_verified"] == false)
        // It reserves nothing: the next who says so has another account, and so has who signs up with it.
        let next = try await server.signIn("apple", TestProvider.apple(Person(), ["email": nil]), ["email": .string(email)])
        #expect(next.status == 200)
        #expect(next.json["user"]?["id"] != response.json["user"]?["id"])
        let account: JSONValue = ["email": .string(email), "password": .string(Account.password)]
        #expect(try await server.post("/auth/register", account).status == 201)
        // And it opens no account of somebody else's.
        let taken = try await server.signIn("apple", TestProvider.apple(Person(), ["email": nil]), ["email": .string(email)])
        #expect(taken.status == 400)
        #expect(taken.text == #"{"error":"Email already exists with different provider"}"#)
    }

    @Test func `a proof that is not enough for an account is good again once the two are linked`() async throws {
        let account = try await server.signUp()
        var person = Person()
        person.email = account.email
        let token = try TestProvider.google(person)
        for _ in 0..<2 {
            let response = try await server.signIn("google", token)
            #expect(response.status == 400)
            #expect(response.text == #"{"error":"Email already exists with different provider"}"#)
        }
        try #require(installation).clock.advance(by: .seconds(31))
        let link: JSONValue = ["oauth_provider": "google", "id_token": .string(token)]
        #expect(try await server.post("/auth/identities", link, bearer: account.accessToken).status == 200)
        let later = try TestProvider.google(person, at: #require(installation).clock.now)
        #expect(try Account(await server.signIn("google", later)).id == account.id)
    }

    @Test func `who made an account with somebody else's address loses it to the owner`() async throws {
        let owner = Person()
        let hijacker = try Account(
            await server.post("/auth/register", ["email": .string(owner.email), "password": .string(Account.password)]))
        let account = try Account(await other.signIn("google", TestProvider.google(owner)))
        #expect(account.id == hijacker.id)
        #expect(try await server.get("/auth/me", bearer: hijacker.accessToken).status == 401)
        #expect(try await server.post("/auth/refresh", ["refreshToken": .string(hijacker.refreshToken)]).status == 401)
        let login: JSONValue = ["email": .string(owner.email), "password": .string(Account.password)]
        #expect(try await server.post("/auth/login", login).status == 401)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 200)
    }

    @Test func `an account without a password says nothing of that to who tries one`() async throws {
        let person = Person()
        _ = try Account(await server.signIn("google", TestProvider.google(person)))
        let known = try await server.post("/auth/login", ["email": .string(person.email), "password": .string(Account.password)])
        let unknown = try await server.post(
            "/auth/login", ["email": .string(Account.newEmail()), "password": .string(Account.password)])
        #expect(known.status == 401)
        #expect(known.constantPart == unknown.constantPart)
        let taken = try await server.post(
            "/auth/register", ["email": .string(person.email), "password": .string(Account.password)])
        #expect(taken.text == #"{"error":"Email already exists"}"#)
    }

    @Test func `who has deleted the account and comes back is somebody new`() async throws {
        let person = Person()
        let first = try Account(await server.signIn("google", TestProvider.google(person)))
        #expect(try await server.delete("/auth/me", bearer: first.accessToken).status == 204)
        let second = try Account(await server.signIn("google", TestProvider.google(person)))
        #expect(second.id != first.id)
        #expect(
            try await server.post("/auth/refresh", ["refreshToken": .string(first.refreshToken)]).text
                == #"{"error":"User not found"}"#)
    }
}
