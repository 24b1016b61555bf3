import Server
import TestSupport
import Testing
import Text

/// `POST /auth/register` with a provider.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct ProvedRegisterTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func register(_ provider: String, _ token: String, _ members: KeyValuePairs<String, JSONValue> = [:])
        async throws -> TestHTTPResponse
    {
        try await server.signIn(provider, token, members, at: "/auth/register")
    }

    @Test(arguments: [nil, "", Account.password] as [String?])
    func `with a proof a user is made, with or without a password`(password: String?) async throws {
        let person = Person()
        var members: [(String, JSONValue)] = [("name", "Mei"), ("email", .string(Account.newEmail()))]
        if let password { members.append(("password", .string(password))) }
        var body = JSONObject([.init(key: "oauth_provider", value: "google")])
        body["id_token"] = .string(try TestProvider.google(person))
        for (name, value) in members { body[name] = value }
        let response = try await server.post("/auth/register", .object(body))
        #expect(response.status == 201, "\(response.text)")
        #expect(response.json["user"]?["email"] == .string(person.email))
        #expect(response.json["user"]?["oauth_provider"] == "google")
        #expect(response.json["user"]?["name"] == "Mei")
        let id = try Account(response).id
        #expect(try Account(await server.signIn("google", TestProvider.google(person))).id == id)
        let login = try await server.post(
            "/auth/login", ["email": .string(person.email), "password": .string(Account.password)])
        #expect(login.status == (password == Account.password ? 200 : 401))
    }

    @Test func `who is known already cannot sign up once more`() async throws {
        let person = Person()
        #expect(try await register("google", TestProvider.google(person)).status == 201)
        var elsewhere = person
        elsewhere.email = Person().email
        for token in [try TestProvider.google(person), try TestProvider.google(elsewhere)] {
            let response = try await register("google", token)
            #expect(response.status == 400)
            #expect(response.text == #"{"error":"Email already exists"}"#)
        }
        #expect(try await register("apple", TestProvider.apple(person)).text == #"{"error":"Email already exists"}"#)
    }

    @Test func `a token that proves nothing makes nobody`() async throws {
        let person = Person()
        let forged = try await register(
            "google", TestProvider.google(person, isForged: true),
            ["email": .string(person.email), "password": .string(Account.password)])
        #expect(forged.status == 401)
        #expect(forged.text == OAuthSignInTests.refused)
        let login = try await server.post(
            "/auth/login", ["email": .string(person.email), "password": .string(Account.password)])
        #expect(login.status == 401)
    }

    @Test func `without a proof the provider is ignored, and its person is somebody else`() async throws {
        let person = Person()
        let squatter = try Account(
            await server.post(
                "/auth/register",
                [
                    "email": .string(Account.newEmail()), "password": .string(Account.password), "oauth_provider": "google",
                    "oauth_id": .string(person.subject),
                ]))
        let owner = try Account(await server.signIn("google", TestProvider.google(person)))
        #expect(owner.id != squatter.id)
    }

    @Test func `what is wrong with a password is said before the token is used up`() async throws {
        let token = try TestProvider.google(Person())
        let response = try await register("google", token, ["password": "short"])
        #expect(response.text == #"{"error":"Invalid input","details":[\#(RegisterRefusalTests.shortPassword)]}"#)
        try #require(installation).clock.advance(by: .seconds(31))
        #expect(try await register("google", token).status == 201)
    }
}
