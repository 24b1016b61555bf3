import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// `POST /auth/oauth` without a proof, or with one that proves nothing.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct OAuthRefusalTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func expectRefused(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 401, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.text == OAuthSignInTests.refused, sourceLocation: sourceLocation)
        #expect(response.value("WWW-Authenticate") == "Bearer realm=\"kidoban\"", sourceLocation: sourceLocation)
    }

    /// Why the proof of a request was refused, as the audit log has it.
    private func reason(_ response: TestHTTPResponse) async throws -> String {
        let id = try #require(response.value("X-Request-Id"))
        let url = try #require(installation).databaseURL
        let query = "SELECT reason FROM audit_events WHERE kind = 'provider_token_refused' AND reference_id = '\(id)'"
        while true {
            if let found = try TestDatabase.rows(query, on: url).first?.first { return found }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func `knowing somebody's id at a provider is no proof`() async throws {
        let person = Person()
        _ = try Account(await server.signIn("google", TestProvider.google(person)))
        for members: KeyValuePairs<String, JSONValue> in [
            [:], ["id_token": nil], ["id_token": ""], ["access_token": "ya29.x"], ["authorization_code": "c.x"],
        ] {
            var body = JSONObject()
            body["email"] = .string(person.email)
            body["oauth_provider"] = "google"
            body["oauth_id"] = .string(person.subject)
            for (name, value) in members { body[name] = value }
            for path in ["/auth/oauth", "/auth/oauth/login", "/auth/oauth-login"] {
                expectRefused(try await server.post(path, .object(body)))
            }
        }
    }

    @Test func `a token is for us, of the provider, of the moment, and of whom the body says`() async throws {
        let (person, nonce) = (Person(), Person.unique())
        func check(
            _ reason: String, _ provider: String, _ token: String, _ members: KeyValuePairs<String, JSONValue> = [:],
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let response = try await server.signIn(provider, token, members)
            expectRefused(response, sourceLocation: sourceLocation)
            #expect(try await self.reason(response) == reason, sourceLocation: sourceLocation)
        }
        try await check("wrong_audience", "google", TestProvider.google(person, ["aud": "com.other", "azp": nil]))
        try await check("wrong_issuer", "apple", TestProvider.google(person))
        try await check("other_subject", "google", TestProvider.google(person), ["oauth_id": "another"])
        try await check("nonce_differs", "apple", TestProvider.apple(person, nonce: nonce), ["nonce": "another"])
        try await check("invalid_signature", "google", TestProvider.google(person, isForged: true))
        try await check(
            "expired", "google", TestProvider.google(person, at: TestClock.start.adding(.seconds(-3700))))
        // Nothing of it has made a user.
        #expect(try await server.signIn("google", TestProvider.google(person)).json["user"]?["created_at"] != nil)
    }

    @Test(arguments: ["x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "\0", "kdr_x"])
    func `garbage is no token`(token: String) async throws {
        expectRefused(try await server.signIn("google", token))
        expectRefused(try await server.signIn("apple", token, ["email": .string(Account.newEmail()), "oauth_id": "1"]))
    }

    @Test func `a token is good once`() async throws {
        let token = try TestProvider.google(Person())
        let first = try Account(await server.signIn("google", token))
        // The answer may have been lost.
        #expect(try Account(await server.signIn("google", token)).id == first.id)
        try #require(installation).clock.advance(by: .seconds(31))
        expectRefused(try await server.signIn("google", token))
    }

    @Test(arguments: ["github", "twitter"])
    func `a provider that is not switched on proves nothing`(provider: String) async throws {
        expectRefused(try await server.signIn(provider, TestProvider.google(Person())))
    }

    static let required = #"{"error":"OAuth provider and ID are required"}"#

    @Test(arguments: [
        #"{"email":"a@example.com"}"#, #"{"email":"a@example.com","password":"correct horse"}"#,
        #"{"email":"a@example.com","oauth_provider":"google"}"#, #"{"email":"a@example.com","oauth_id":"1"}"#,
        #"{"email":"a@example.com","oauth_provider":"google","oauth_id":""}"#, #"{"id_token":"x"}"#,
    ])
    func `a body that names no identity is told so`(body: String) async throws {
        let response = try await server.send(.json("POST", "/auth/oauth", Array(body.utf8)))
        #expect(response.status == 400)
        #expect(response.text == Self.required)
    }

    @Test(arguments: [
        ("{}", [RegisterRefusalTests.missingEmail]),
        (#"{"oauth_provider":"google","oauth_id":"1"}"#, [RegisterRefusalTests.missingEmail]),
        (#"{"email":"nobody","oauth_provider":"google","oauth_id":"1"}"#, [RegisterRefusalTests.badEmail]),
        (#"{"email":"nobody","oauth_provider":"google","id_token":"x"}"#, [RegisterRefusalTests.badEmail]),
        (
            #"{"email":1,"name":2,"oauth_provider":3,"oauth_id":4,"id_token":5,"nonce":6}"#,
            ["email", "name", "oauth_provider", "oauth_id", "id_token", "nonce"].map {
                RegisterRefusalTests.wrongType($0, received: "number")
            }
        ),
        (
            #"{"email":"a@example.com","oauth_provider":"x","oauth_id":"1"}"#,
            [
                #"{"code":"invalid_enum_value",\#(RegisterRefusalTests.options),"received":"x","path":["oauth_provider"],"#
                    + #""message":"\#(RegisterRefusalTests.expectedProvider), received 'x'"}"#
            ]
        ),
    ])
    func `what is wrong is said item by item`(_ body: String, _ details: [String]) async throws {
        let response = try await server.send(.json("POST", "/auth/oauth", Array(body.utf8)))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Invalid input","details":[\#(details.joined(separator: ","))]}"#)
    }

    @Test func `while a provider's keys cannot be had nobody is told that a token is bad`() async throws {
        try await Installation({ configuration in
            TestProvider.configure(&configuration)
            configuration.federation.google.keySetURL = "http://127.0.0.1:9/keys"
        }).run { installation in
            expectUnavailable(try await installation.server.signIn("google", TestProvider.google(Person())))
        }
    }
}

/// A demonstration that believes its clients.
@Suite(
    .needsServers,
    .installation {
        TestProvider.configure(&$0)
        $0.app.believesUnprovedIdentities = true
    })
struct UnprovedOAuthTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func body(_ person: Person) -> JSONValue {
        ["email": .string(person.email), "oauth_provider": "github", "oauth_id": .string(person.subject)]
    }

    @Test func `whoever says so is signed in, as ever the same user`() async throws {
        let person = Person()
        let first = try await server.post("/auth/oauth", body(person))
        #expect(first.status == 200)
        #expect(first.json["user"]?["oauth_provider"] == "github")
        #expect(first.json["user"]?["email_verified"] == false)
        #expect(try Account(await server.post("/auth/oauth/login", body(person))).id == Account(first).id)
    }

    @Test func `an address that is somebody's is refused`() async throws {
        let account = try await server.signUp()
        var person = Person()
        person.email = account.email
        let response = try await server.post("/auth/oauth", body(person))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Email already exists with different provider"}"#)
    }

    @Test func `a sign-up needs no password beside a provider`() async throws {
        let person = Person()
        #expect(try await server.post("/auth/register", body(person)).status == 201)
        #expect(try await server.post("/auth/register", body(person)).text == #"{"error":"Email already exists"}"#)
    }

    @Test func `a token that comes along is verified all the same`() async throws {
        let response = try await server.signIn("google", TestProvider.google(Person(), isForged: true))
        #expect(response.text == OAuthSignInTests.refused)
    }
}
