import TestSupport
import Testing
import Text

@testable import Server

/// In which language a user is told that there is a new way into the account: that of who has just signed in by it.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct LinkedMailLanguageTests {
    var installation: Installation { get throws { try #require(Installation.current) } }

    /// Somebody who has an account by way of Google, as Apple knows them.
    private func known() async throws -> Person {
        let google = Person()
        #expect(try await installation.server.signIn("google", TestProvider.google(google)).status == 200)
        var apple = Person()
        apple.email = google.email
        return apple
    }

    private func languages(_ person: Person) throws -> [String] {
        try installation.mails(to: person.email).filter { $0.kind == "identity_linked" }.map(\.language)
    }

    @Test(arguments: [("ja", "ja"), ("fr;q=0.9, ja;q=0.5", "ja"), ("en-GB, ja;q=0.5", "en"), ("fr", "en"), (nil, "en")])
    func `at the app's API it is what the request asks for, else English`(asked: String?, expected: String) async throws {
        let person = try await known()
        var fields = [("Content-Type", "application/json")]
        if let asked { fields.append(("Accept-Language", asked)) }
        let body = #"{"oauth_provider":"apple","id_token":"\#(try TestProvider.apple(person))"}"#
        let answer = try await installation.server.send("POST", "/auth/oauth", fields, body: body)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try languages(person) == [expected])
    }

    @Test func `at the rest-auth API it is that of the answer`() async throws {
        let person = try await known()
        let django = DjangoClient(server: try installation.server)
        let answer = try await django.send(
            "/apple/", [("id_token", try TestProvider.apple(person))], [("Accept-Language", "ja")])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try languages(person) == [answer.value("Content-Language")])
        #expect(answer.value("Content-Language") == "ja")
    }
}
