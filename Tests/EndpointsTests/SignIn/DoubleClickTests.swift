import Identity
import Server
import TestSupport
import Testing
import Text

/// A form that a browser sends twice, because somebody clicks twice: it shows the answer to the second.
@Suite(.needsServers, .installation(), .serialized) struct DoubleClickTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    /// The answers to two posts at once, and to one that comes when they are done.
    private func thrice(
        _ post: @escaping @Sendable () async throws -> TestHTTPResponse
    ) async throws -> [TestHTTPResponse] {
        async let first = post()
        async let second = post()
        return [try await first, try await second, try await post()]
    }

    private func form(_ visitor: PageVisitor, _ path: String, _ action: String) async throws -> [(String, String)] {
        let page = try await visitor.open(path)
        return try #require(PageVisitor.hidden(page, action), "\(page.text)")
    }

    /// Somebody who has signed in on our pages.
    private func signedIn() async throws -> (Account, PageVisitor) {
        let (account, visitor) = (try await server.signUp(), PageVisitor(try server))
        try await visitor.signIn(account.email)
        return (account, visitor)
    }

    @Test(arguments: [("allow", "deny", "deviceAllowed"), ("deny", "allow", "deviceDenied")])
    func `a decision for a device is made once, and says so each time`(
        _ decision: String, _ other: String, _ notice: String
    ) async throws {
        let client = try await installation.relyingParty("--device", "--first-party")
        let started = try await server.form("/oauth2/device_authorization", [("client_id", client.id), ("scope", "openid")]).json
        let code = try #require(started["user_code"]?.stringValue)
        let (account, visitor) = try await signedIn()
        let fields = try await form(visitor, "/device", "/device") + [("user_code", code)]
        let answers = try await thrice { try await visitor.post("/device", fields + [("decision", decision)]) }
        #expect(answers.map(\.status) == [303, 303, 303])
        #expect(visitor.client.cookies["kidoban_notice"]?.hasPrefix(notice) == true)
        #expect(try await visitor.post("/device", fields + [("decision", other)]).status == 400)
        #expect(try await visitor.post("/device", fields).status == 400)
        // Another browser of the same user.
        let stranger = PageVisitor(try server)
        try await stranger.signIn(account.email)
        let foreign = try await form(stranger, "/device", "/device") + [("user_code", code), ("decision", decision)]
        #expect(try await stranger.post("/device", foreign).status == 400)
        let poll = [("grant_type", GrantType.deviceCode.rawValue), ("device_code", started["device_code"]?.stringValue ?? "")]
        #expect(try await client.token(poll).status == (decision == "allow" ? 200 : 400))
        #expect(try await visitor.post("/device", fields + [("decision", decision)]).status == 303)
        #expect(try await client.token(poll).status == 400)
    }

    @Test func `an account that is deleted once says so each time`() async throws {
        let (account, visitor) = try await signedIn()
        let session = try #require(visitor.session)
        let fields = try await form(visitor, "/account", "/account/delete") + [("confirmed", "on")]
        #expect(try await visitor.post("/account/delete", fields).status == 200)
        #expect(visitor.session == nil)
        #expect(try await visitor.post("/account/delete", fields).status == 303)
        visitor.client.cookies["kidoban_session"] = session
        let again = try await visitor.post("/account/delete", fields)
        #expect(again.status == 200 && again.text.contains("deleted") && visitor.session == nil)
        // One that has only ended.
        try await visitor.signIn(try await server.signUp().email)
        let other = try #require(visitor.session)
        _ = try await visitor.submit(visitor.open("/sign-out"), "/sign-out", [])
        visitor.client.cookies["kidoban_session"] = other
        #expect(try await visitor.post("/account/delete", fields).status == 303)
        #expect(try await visitor.signIn(account.email).status == 400)
    }
}
