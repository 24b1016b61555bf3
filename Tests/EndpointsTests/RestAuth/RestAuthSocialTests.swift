import Server
import TestSupport
import Testing
import Text

/// Contract §3.7 and §4: social login.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct RestAuthSocialTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    @Test(arguments: [["id_token"], ["access_token"], ["access_token", "id_token"]])
    func `an id token signs in, under either name`(_ names: [String]) async throws {
        let person = Person()
        let token = try TestProvider.google(person)
        let response = try await django.send("/google/", names.map { ($0, token) })
        #expect(response.status == 200, "\(response.text)")
        #expect(response.keys == ["key"])
        #expect(response.cookie("sessionid") != nil)
        let key = try #require(response.key)
        #expect(try await django.user(key).json["email"] == .string(person.email))
        let accounts = try await django.get("/socialaccounts/", [("Authorization", "Token \(key)")])
        #expect(accounts.status == 200)
        let account = try #require(accounts.json.arrayValue?.first)
        #expect(account.keys == ["id", "provider", "uid", "last_login", "date_joined"])
        #expect(account["provider"] == "google")
        #expect(account["uid"] == .string(person.subject))
        let id = try #require(account["id"]?.integerValue)
        let last = try await django.send("/socialaccounts/\(id)/disconnect/", [], [("Authorization", "Token \(key)")])
        #expect(last.status == 400)
        #expect(last.texts("non_field_errors")?.count == 1)
    }

    @Test func `what proves nothing is an incorrect value`() async throws {
        let person = Person()
        let incorrect = #"{"non_field_errors":["Incorrect value"]}"#
        for (path, fields) in [
            ("/google/", [("access_token", "garbage")]),
            ("/google/", [("id_token", try TestProvider.google(person, isForged: true))]),
            ("/apple/", [("id_token", try TestProvider.google(person))]), ("/google/", [("code", "4/abc")]),
        ] as [(String, [(String, String)])] {
            let response = try await django.send(path, fields)
            #expect(response.status == 400)
            #expect(response.text == incorrect)
        }
        for body in ["{}", #"{"access_token":"","code":" ","id_token":""}"#] {
            let missing = try await django.json("/google/", body)
            #expect(missing.text == #"{"non_field_errors":["Incorrect input. access_token or code is required."]}"#)
        }
    }

    @Test func `a proof that may not sign in yet is still good for connecting`() async throws {
        let (email, key) = try await django.signedIn()
        // The provider does not answer for this address, so that having it proves nothing.
        var person = Person(at: "town.example")
        person.email = email
        let token = try TestProvider.google(person)
        let refused = try await django.send("/google/", [("id_token", token)])
        #expect(refused.status == 400)
        #expect(
            refused.text == #"{"non_field_errors":["User is already registered with this e-mail address."]}"#, "\(refused.text)")
        let header = [(name: "Authorization", value: "Token \(key)")]
        #expect(try await django.send("/google/connect/", [("id_token", token)], header).status == 200)
    }

    @Test func `an account is connected and disconnected`() async throws {
        let (_, key) = try await django.signedIn()
        let header = [(name: "Authorization", value: "Token \(key)")]
        let person = Person()
        #expect(try await django.send("/google/connect/", [("id_token", try TestProvider.google(person))]).status == 401)
        let connected = try await django.send("/google/connect/", [("id_token", try TestProvider.google(person))], header)
        #expect(connected.status == 200, "\(connected.text)")
        let id = try #require(try await django.get("/socialaccounts/", header).json.arrayValue?.first?["id"]?.integerValue)
        #expect(try await django.send("/socialaccounts/1/disconnect/", [], header).status == 404)
        let done = try await django.send("/socialaccounts/\(id)/disconnect/", [], header)
        #expect(done.text == #"{"detail":"Social account disconnected."}"#)
        #expect(try await django.get("/socialaccounts/", header).text == "[]")
    }
}
