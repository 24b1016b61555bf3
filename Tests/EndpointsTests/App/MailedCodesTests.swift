import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// A new password and a confirmed address by mail, where the app API is all there is.
@Suite(.needsServers, .installation { $0.apis.open = .only(["app"]) })
struct MailedCodesTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }
    private static let new = "another horse battery"

    private func code(_ kind: String, to email: String) throws -> String {
        try #require(try installation.mails(to: email).last { $0.kind == kind }).code
    }

    private func logIn(_ email: String, _ password: String) async throws -> Int {
        try await server.post("/auth/login", ["email": .string(email), "password": .string(password)]).status
    }

    @Test func `a password is reset by a code, once, and all sessions end`() async throws {
        let account = try await server.signUp()
        let asked = try await server.post("/auth/password/reset", ["email": .string(account.email.uppercased())])
        #expect(asked.status == 202)
        #expect(asked.text == #"{"status":"accepted"}"#)
        let code = try code("password_reset", to: account.email)
        func confirm(_ password: String) async throws -> TestHTTPResponse {
            try await server.post(
                "/auth/password/reset/confirm", ["code": .string(code), "password": .string(password)])
        }
        let refused = try await confirm("short")
        #expect(refused.status == 400)
        #expect(refused.json["details"]?[0]?["path"] == ["password"])
        #expect(try await confirm(Self.new).status == 204)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        #expect(try await logIn(account.email, Account.password) == 401)
        #expect(try await logIn(account.email, Self.new) == 200)
        let again = try await confirm(Self.new + "!")
        #expect(again.status == 400)
        #expect(again.text == #"{"error":"Invalid code"}"#)
    }

    @Test func `an address is confirmed by a code, which a second mail replaces`() async throws {
        let account = try await server.signUp()
        let first = try code("email_verification", to: account.email)
        #expect(try await server.post("/auth/email/verification", ["email": .string(account.email)]).status == 202)
        let second = try code("email_verification", to: account.email)
        func confirm(_ code: String) async throws -> Int {
            try await server.post("/auth/email/verification/confirm", ["code": .string(code)]).status
        }
        #expect(try await confirm(first) == 400)
        #expect(try await confirm("x") == 400)
        #expect(try await confirm(second) == 204)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).json["email_verified"] == .bool(true))
        // There is nothing to confirm any more.
        let count = try installation.mails(to: account.email).count
        #expect(try await server.post("/auth/email/verification", ["email": .string(account.email)]).status == 202)
        #expect(try installation.mails(to: account.email).count == count)
    }

    @Test(arguments: ["", "?keep=current", "/thief"])
    func `who signs other devices out voids the address that one of them has asked for`(_ which: String) async throws {
        let (owner, new) = (try await server.signUp(), Account.newEmail())
        let thief = try await server.signIn(owner)
        let wish: JSONValue = ["email": .string(new), "password": .string(Account.password)]
        #expect(try await server.post("/auth/me/email", wish, bearer: thief.accessToken).status == 202)
        let code = try code("address_confirmation", to: new)
        var path = "/auth/sessions" + which
        if which == "/thief" {
            let sessions = try await server.get("/auth/sessions", bearer: thief.accessToken).json["sessions"]?.arrayValue
            let own = try #require(sessions?.first { $0["current"] == true })
            path = "/auth/sessions/" + (own["id"]?.stringValue ?? "")
        }
        #expect(try await server.delete(path, bearer: owner.accessToken).status == 204)
        let confirmed = try await server.post("/auth/email/confirm", ["code": .string(code)])
        #expect(confirmed.status == 400)
        #expect(confirmed.text == #"{"error":"Invalid code"}"#)
        #expect(try await logIn(owner.email, Account.password) == 200)
    }

    @Test(arguments: ["/auth/password/reset", "/auth/email/verification"])
    func `nothing tells whether there is such a user`(_ path: String) async throws {
        let account = try await server.signUp()
        let known = try await server.post(path, ["email": .string(account.email)])
        let unknown = try await server.post(path, ["email": .string(Account.newEmail())])
        #expect(known.status == unknown.status && known.text == unknown.text)
        #expect(try await server.post(path, ["email": "x"]).status == 400)
        #expect(try await server.post(path, ["email": 1]).status == 400)
        #expect(try await server.post(path, [:]).json["error"] == "Invalid input")
    }

    @Test func `the codes of one purpose serve no other`() async throws {
        let account = try await server.signUp()
        let code = try code("email_verification", to: account.email)
        let reset: JSONValue = ["code": .string(code), "password": .string(Self.new)]
        #expect(try await server.post("/auth/password/reset/confirm", reset).status == 400)
        #expect(try await logIn(account.email, Account.password) == 200)
    }

    @Test func `the links lead to pages of Kidoban's own, which are served with the app API`() async throws {
        let account = try await server.signUp()
        #expect(try await server.post("/auth/password/reset", ["email": .string(account.email)]).status == 202)
        for (kind, path) in [("password_reset", "/account/password"), ("email_verification", "/account/email")] {
            let mail = try #require(try installation.mails(to: account.email).last { $0.kind == kind })
            #expect(mail.link == "http://localhost:8080\(path)?code=\(mail.code)")
            #expect(try await server.get("\(path)?code=\(mail.code)").status == 200)
        }
    }

    @Test func `a team's own pages take the place of ours`() async throws {
        try await Installation({
            $0.apis.open = .only(["app"])
            $0.app.explicitResetLink = "https://town.example/reset/{code}"
            $0.app.explicitVerificationLink = "https://town.example/confirm#{code}"
            $0.app.explicitAddressLink = "https://town.example/address#{code}"
        }).run { installation in
            let server = try installation.server
            let account = try await server.signUp()
            #expect(try await server.post("/auth/password/reset", ["email": .string(account.email)]).status == 202)
            let links = try installation.mails(to: account.email).map(\.link)
            #expect(links.contains { $0.hasPrefix("https://town.example/reset/") })
            #expect(links.contains { $0.hasPrefix("https://town.example/confirm#") })
            #expect(try await server.get("/account/password?code=x").json["error"] == "Not found")
        }
    }
}
