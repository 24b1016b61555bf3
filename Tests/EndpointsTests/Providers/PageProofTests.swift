import TestSupport
import Testing
import Text

/// Proofs of providers that a web page brings, or that come with something that is not theirs.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct PageProofTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    private func signIn(
        _ provider: String, _ token: String, _ members: KeyValuePairs<String, JSONValue> = [:],
        _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        var body = JSONObject()
        body["oauth_provider"] = .string(provider)
        body["id_token"] = .string(token)
        for (name, value) in members { body[name] = value }
        var request = TestHTTPRequest.json("POST", "/auth/oauth", JSONValue.object(body).serialized)
        request.fields += fields
        return try await server.send(request)
    }

    @Test(arguments: [
        ("Origin", "https://town.example"), ("Origin", "null"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors"),
        ("Sec-Fetch-Dest", "empty"),
    ])
    func `a web page signs nobody in with a token that has no nonce`(_ name: String, _ value: String) async throws {
        let refused = try await signIn("google", TestProvider.google(Person()), [:], [(name, value)])
        #expect(refused.status == 401)
        #expect(refused.text == #"{"error":"Invalid OAuth token"}"#)
        let nonce = Person.unique()
        let token = try TestProvider.google(Person(), ["nonce": .string(nonce)])
        #expect(try await signIn("google", token, ["nonce": .string(nonce)], [(name, value)]).status == 200)
        // What a device of Apple's may do, a browser may not.
        let unbound = try TestProvider.apple(Person(), ["nonce_supported": false])
        #expect(try await signIn("apple", unbound, ["nonce": "n"], [(name, value)]).status == 401)
        #expect(try await signIn("apple", unbound, ["nonce": "n"]).status == 200)
        #expect(try await signIn("google", TestProvider.google(Person())).status == 200)
    }

    @Test func `nor with an access token, or a code without a verifier`() async throws {
        let django = DjangoClient(server: try server)
        let page = [(name: "Sec-Fetch-Site", value: "same-origin")]
        let token = TestProvider.accessToken(TestProvider.tokenInfo(Person()))
        #expect(try await django.send("/google/", [("access_token", token)], page).status == 400)
        func code() throws -> String {
            TestProvider.code(["access_token": "ya29.x", "id_token": .string(try TestProvider.google(Person()))])
        }
        #expect(try await django.send("/google/", [("code", try code())], page).status == 400)
        let verified = try await django.send("/google/", [("code", try code()), ("code_verifier", Person.unique())], page)
        #expect(verified.status == 200, "\(verified.text)")
    }

    @Test func `an access token of somebody else is refused, by both APIs`() async throws {
        let django = DjangoClient(server: try server)
        let foreign = TestProvider.accessToken(TestProvider.tokenInfo(Person()))
        func token() throws -> String {
            try TestProvider.google(Person(), ["at_hash": .string("AAAAAAAAAAAAAAAAAAAAAA")])
        }
        #expect(try await signIn("google", try token(), ["access_token": .string(foreign)]).status == 401)
        #expect(try await signIn("google", try token(), ["accessToken": .string(foreign)]).status == 401)
        #expect(try await signIn("google", try token()).status == 200)
        let refused = try await django.send("/google/", [("id_token", try token()), ("access_token", foreign)])
        #expect(refused.status == 400)
        // An id token under both names is one token.
        let twice = try token()
        #expect(try await django.send("/google/", [("id_token", twice), ("access_token", twice)]).status == 200)
        let answered = TestProvider.code(["access_token": "ya29.other", "id_token": .string(try token())])
        #expect(try await django.send("/google/", [("code", answered)]).status == 400)
    }
}
