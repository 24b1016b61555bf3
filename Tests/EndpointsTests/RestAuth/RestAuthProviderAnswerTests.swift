import Crypto
import Identity
import Server
import TestSupport
import Testing
import Text

/// Contract §4: an access token of Google's, and a code, for which the provider is asked.
@Suite(
    .needsServers,
    .installation {
        TestProvider.configure(&$0)
        guard let key = try? SigningKey.generate(.es256).exportPKCS8().revealedBytes else { return }
        $0.providerTokens.appleTeamID = "TEAM123456"
        $0.providerTokens.appleKeyID = "KEY1234567"
        $0.providerTokens.applePrivateKey = AppleCredentials.PrivateKey(
            pem: SecretString("-----BEGIN PRIVATE KEY-----\n\(Base64.encode(key))\n-----END PRIVATE KEY-----"))
    })
struct RestAuthProviderAnswerTests {
    static let incorrect = #"{"non_field_errors":["Incorrect value"]}"#

    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    @Test func `a bare access token that Google gave to one of our apps signs in, once`() async throws {
        let person = Person()
        let token = TestProvider.accessToken(TestProvider.tokenInfo(person))
        let response = try await django.send("/google/", [("access_token", token)])
        #expect(response.status == 200, "\(response.text)")
        let key = try #require(response.key)
        #expect(try await django.user(key).json["email"] == .string(person.email))
        // The same person as by id token.
        let again = try await django.send("/google/", [("id_token", try TestProvider.google(person))])
        #expect(try await django.user(try #require(again.key)).json["pk"] == (try await django.user(key)).json["pk"])
        try installation.clock.advance(by: .seconds(31))
        let replayed = try await django.send("/google/", [("access_token", token)])
        #expect(replayed.status == 400)
        #expect(replayed.text == Self.incorrect)
    }

    @Test(
        arguments: [
            ["aud": "another.apps.googleusercontent.com"], ["azp": "another.apps.googleusercontent.com"], ["aud": .null],
            ["aud": ["echolog.apps.googleusercontent.com"]], ["azp": 7], ["sub": .null], ["sub": ""], ["sub": "\u{7}"],
            ["exp": "1"], ["exp": .null], ["exp": "soon"],
        ] as [KeyValuePairs<String, JSONValue>])
    func `an access token that is not for us, over or nobody's is an incorrect value`(
        _ changes: KeyValuePairs<String, JSONValue>
    ) async throws {
        let token = TestProvider.accessToken(TestProvider.tokenInfo(Person(), changes))
        let response = try await django.send("/google/", [("access_token", token)])
        #expect(response.status == 400)
        #expect(response.text == Self.incorrect)
    }

    @Test func `an access token has no nonce, so a request with one is refused`() async throws {
        let token = TestProvider.accessToken(TestProvider.tokenInfo(Person()))
        let response = try await django.send("/google/", [("access_token", token), ("nonce", "n-1")])
        #expect(response.text == Self.incorrect)
    }

    @Test func `what Google refuses is an incorrect value, and what it cannot say is 503`() async throws {
        let refused = TestProvider.accessToken(status: 400, ["error": "invalid_token", "error_description": "Invalid Value"])
        #expect(try await django.send("/google/", [("access_token", refused)]).text == Self.incorrect)
        #expect(try await django.send("/google/", [("access_token", "ya29.garbage")]).text == Self.incorrect)
        for token in [TestProvider.accessToken(status: 500, ["error": "oops"]), TestProvider.accessToken(["no", "object"])] {
            let response = try await django.send("/google/", [("access_token", token)])
            #expect(response.status == 503, "\(response.text)")
            #expect(response.value("Retry-After") == "5")
        }
    }

    @Test func `Google is not asked about what can be no token`() async throws {
        let mark = Person.unique()
        for token in ["ya29 \(mark)", "ya29.\(mark)é", "ya29.\(mark)" + String(repeating: "a", count: 2048)] {
            #expect(try await django.send("/google/", [("access_token", token)]).text == Self.incorrect)
        }
        #expect(try TestProvider.requests("/tokeninfo", with: mark).isEmpty)
    }

    @Test func `an access token is none of Apple's proofs`() async throws {
        let response = try await django.send(
            "/apple/", [("access_token", TestProvider.accessToken(TestProvider.tokenInfo(Person())))])
        #expect(response.text == Self.incorrect)
    }

    @Test func `an address that Google does not answer for links nothing`() async throws {
        let (email, _) = try await django.signedIn()
        var person = Person(at: "town.example")
        person.email = email
        let token = TestProvider.accessToken(TestProvider.tokenInfo(person, ["hd": "town.example"]))
        let refused = try await django.send("/google/", [("access_token", token)])
        #expect(
            refused.text == #"{"non_field_errors":["User is already registered with this e-mail address."]}"#, "\(refused.text)")
    }

    @Test func `a code of Google's is exchanged with our secret, and its id token signs in`() async throws {
        let person = Person()
        let code = TestProvider.code(
            ["access_token": "ya29.x", "id_token": .string(try TestProvider.google(person)), "refresh_token": "1//keep"])
        let response = try await django.send("/google/", [("code", code), ("code_verifier", "v-\(person.subject)")])
        #expect(response.status == 200, "\(response.text)")
        #expect(try await django.user(try #require(response.key)).json["email"] == .string(person.email))
        let asked = try #require(try TestProvider.requests("/token", with: "v-\(person.subject)").first?.text)
        for part in [
            "grant_type=authorization_code", "client_id=\(TestProvider.googleClient)", "client_secret=google-secret",
            "redirect_uri=postmessage", "code_verifier=v-\(person.subject)",
        ] { #expect(asked.contains(part)) }
        let kept = try TestDatabase.rows(
            "SELECT count(*) FROM provider_tokens WHERE subject = '\(person.subject)'", on: installation.databaseURL)
        #expect(kept == [["1"]])
    }

    @Test func `a code that brings an access token only is as good as that`() async throws {
        let person = Person()
        let code = TestProvider.code(["access_token": .string(TestProvider.accessToken(TestProvider.tokenInfo(person)))])
        let response = try await django.send("/google/", [("code", code)])
        #expect(response.status == 200, "\(response.text)")
        let stranger = TestProvider.code(
            ["access_token": .string(TestProvider.accessToken(TestProvider.tokenInfo(person, ["aud": "x", "azp": "x"])))])
        #expect(try await django.send("/google/", [("code", stranger)]).text == Self.incorrect)
    }

    @Test func `a code that is refused is an incorrect value, and a secret that is wrong is our failure`() async throws {
        for error in ["invalid_grant", "redirect_uri_mismatch"] {
            let code = TestProvider.code(status: 400, ["error": .string(error)])
            #expect(try await django.send("/google/", [("code", code)]).text == Self.incorrect)
        }
        let forged = TestProvider.code(["id_token": .string(try TestProvider.google(Person(), isForged: true))])
        #expect(try await django.send("/google/", [("code", forged)]).text == Self.incorrect)
        for code in [
            TestProvider.code(status: 401, ["error": "invalid_client"]), TestProvider.code(status: 503, [:]),
            TestProvider.code([:]),
        ] { #expect(try await django.send("/google/", [("code", code)]).status == 503) }
    }

    @Test func `a code of Apple's alone signs in, and its refresh token is kept`() async throws {
        let person = Person()
        let code = TestProvider.code(
            ["refresh_token": "apple-refresh", "id_token": .string(try TestProvider.apple(person))])
        let response = try await django.send("/apple/", [("code", code)])
        #expect(response.status == 200, "\(response.text)")
        let kept = try TestDatabase.rows(
            "SELECT client_id FROM provider_tokens WHERE subject = '\(person.subject)'", on: installation.databaseURL)
        #expect(kept == [[TestProvider.appleClient]])
    }

    @Test func `an account is connected by an access token too`() async throws {
        let (_, key) = try await django.signedIn()
        let token = TestProvider.accessToken(TestProvider.tokenInfo(Person()))
        let header = [(name: "Authorization", value: "Token \(key)")]
        let connected = try await django.send("/google/connect/", [("access_token", token)], header)
        #expect(connected.status == 200, "\(connected.text)")
    }
}

/// Contract §4, where no secret is set.
@Suite(
    .needsServers,
    .installation {
        TestProvider.configure(&$0)
        $0.providerTokens.googleClientSecret = nil
        $0.providerTokens.googleTokenInfoURL = "http://127.0.0.1:1/"
    })
struct RestAuthWithoutSecretTests {
    @Test func `a code is an incorrect value, and a Google that cannot be reached is 503`() async throws {
        let installation = try #require(Installation.current)
        let django = DjangoClient(server: try installation.server)
        for provider in ["google", "apple"] {
            let code = TestProvider.code(["id_token": .string(try TestProvider.google(Person()))])
            let response = try await django.send("/\(provider)/", [("code", code)])
            #expect(response.text == RestAuthProviderAnswerTests.incorrect)
        }
        #expect(try await django.send("/google/", [("access_token", "ya29.abc")]).status == 503)
    }
}
