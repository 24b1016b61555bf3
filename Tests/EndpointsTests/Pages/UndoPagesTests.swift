import Server
import TestSupport
import Testing
import Text

@testable import Endpoints

/// The pages and endpoints for another address, and the page that undoes changes.
@Suite(.needsServers, .installation()) struct UndoPagesTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }
    private static let new = "another horse battery"

    private func provedAccount() async throws -> Account {
        let account = try await server.signUp()
        try installation.change(account.email, "email_verified = true")
        return account
    }

    private func code(_ kind: String, to email: String) throws -> String {
        try #require(try installation.mails(to: email).last { $0.kind == kind }, "no \(kind)").code
    }

    private func ask(_ email: String, _ account: Account, password: String? = nil) async throws -> TestHTTPResponse {
        var body = JSONObject()
        body["email"] = .string(email)
        body["password"] = password.map { .string($0) }
        return try await server.post("/auth/me/email", .object(body), bearer: account.accessToken)
    }

    private func email(_ account: Account) async throws -> JSONValue? {
        try await server.get("/auth/me", bearer: account.accessToken).json["email"]
    }

    private func expectPage(_ response: TestHTTPResponse, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(
            response.value("Content-Security-Policy")?.hasPrefix(
                "default-src 'none'; style-src 'sha256-\(PageLook.plain.styleHash)'") ?? false,
            sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(!response.text.contains("<script"), sourceLocation: sourceLocation)
    }

    @Test func `the page confirms a new address by a button only`() async throws {
        let (account, new) = (try await provedAccount(), Account.newEmail())
        let other = try await server.signIn(account)
        let asked = try await ask(new, account)
        #expect(asked.status == 202 && asked.text == #"{"status":"accepted"}"#)
        let mail = try #require(try installation.mails(to: new).last)
        #expect(mail.link == "http://localhost:8080/account/address?code=\(mail.code)")
        for _ in 0..<3 {
            let form = try await server.get("/account/address?code=\(mail.code)")
            expectPage(form, 200)
            #expect(form.text.contains(new) && !form.text.contains(account.email))
        }
        #expect(try await email(account) == .string(account.email))
        let done = try await server.form("/account/address", [("code", mail.code)])
        expectPage(done, 200)
        #expect(done.text.contains(new) && !done.text.contains("<form"))
        #expect(try await email(account) == .string(new))
        #expect(try await server.get("/auth/me", bearer: other.accessToken).status == 401)
        expectPage(try await server.form("/account/address", [("code", mail.code)]), 404)
        expectPage(try await server.get("/account/address?code=\(mail.code)"), 404)
    }

    @Test func `the link to the old address undoes it on a page, and sets a new password there`() async throws {
        let (account, new) = (try await provedAccount(), Account.newEmail())
        #expect(try await ask(new, account).status == 202)
        #expect(
            try await server.post("/auth/email/confirm", ["code": .string(try code("address_confirmation", to: new))]).json
                == ["email": .string(new)])
        let mail = try #require(try installation.mails(to: account.email).last { $0.kind == "address_changed" })
        #expect(mail.link == "http://localhost:8080/account/undo?code=\(mail.code)")
        for _ in 0..<3 {
            let page = try await server.get("/account/undo?code=\(mail.code)")
            expectPage(page, 200)
            #expect(page.text.contains("another e-mail address") && page.text.contains("Everybody is signed out"))
        }
        #expect(try await email(account) == .string(new))
        let undone = try await server.form("/account/undo", [("code", mail.code)])
        expectPage(undone, 200)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        #expect(undone.text.contains("action=\"password\"") && !undone.text.contains(mail.code))
        let reset = try #require(undone.text.firstMatch(of: /name="code" value="([\w-]{43})"/)).output.1
        expectPage(
            try await server.form(
                "/account/password", [("code", String(reset)), ("password", Self.new), ("password_again", Self.new)]), 200)
        let login: JSONValue = ["email": .string(account.email), "password": .string(Self.new)]
        #expect(try await server.post("/auth/login", login).status == 200)
        // A second time it says so and does nothing.
        for response in [
            try await server.form("/account/undo", [("code", mail.code)]),
            try await server.get("/account/undo?code=\(mail.code)"),
        ] {
            expectPage(response, 410)
            #expect(response.text.contains("undone already") && !response.text.contains("<form"))
        }
        #expect(try await server.post("/auth/login", login).status == 200)
        #expect(try installation.mails(to: account.email).contains { $0.kind == "changes_undone" })
        #expect(try installation.mails(to: new).contains { $0.kind == "changes_undone" })
    }

    @Test func `the pages are in the reader's language, and so are the mails`() async throws {
        let (account, new) = (try await provedAccount(), Account.newEmail())
        var request = TestHTTPRequest.json(
            "POST", "/auth/me/email", (["email": .string(new)] as JSONValue).serialized, bearer: account.accessToken)
        request.fields.append(("Accept-Language", "ja"))
        #expect(try await server.send(request).status == 202)
        let mail = try #require(try installation.mails(to: account.email).last { $0.kind == "address_change_requested" })
        #expect(mail.language == "ja")
        for (path, code, text) in [
            ("undo", mail.code, "変更の取り消し"), ("address", try code("address_confirmation", to: new), "新しいメールアドレスの確認"),
        ] {
            let page = try await server.send("GET", "/account/\(path)?code=\(code)", [("Accept-Language", "ja")])
            expectPage(page, 200)
            #expect(page.text.contains(text))
        }
    }

    @Test func `a code that is none shows no form`() async throws {
        for path in ["/account/undo", "/account/address"] {
            for query in ["", "?code=", "?code=x", "?code=%22%3E%3Cb%3E", "?code=\(String(repeating: "A", count: 43))"] {
                let page = try await server.get(path + query)
                expectPage(page, 404)
                #expect(!page.text.contains("<form") && !page.text.contains("<b>"))
            }
            expectPage(try await server.form(path, [("code", "x")]), 404)
        }
    }

    @Test func `another address takes a recent sign-in or the password, and is an address`() async throws {
        let account = try await provedAccount()
        #expect(try await server.post("/auth/me/email", ["email": "new@example.com"]).status == 401)
        #expect(try await ask("no address", account).status == 400)
        #expect(try await server.post("/auth/me/email", [:], bearer: account.accessToken).status == 400)
        let wrong = try await ask(Account.newEmail(), account, password: "wrong password")
        #expect(wrong.status == 401)
        #expect(try await ask(Account.newEmail(), account, password: Account.password).status == 202)
        for code in ["x", String(repeating: "A", count: 43)] {
            let refused = try await server.post("/auth/email/confirm", ["code": .string(code)])
            #expect(refused.status == 400 && refused.text == #"{"error":"Invalid code"}"#)
        }
        #expect(try await server.post("/auth/email/confirm", [:]).status == 400)
    }

    @Test func `the answer is the same when somebody has the address`() async throws {
        let (account, other) = (try await provedAccount(), try await server.signUp())
        let (taken, free) = (try await ask(other.email, account), try await ask(Account.newEmail(), account))
        #expect(taken.status == free.status && taken.text == free.text)
        #expect(try installation.mails(to: other.email).map(\.kind) == ["email_verification", "address_taken"])
    }

    @Test func `who loses the race for an address is told so`() async throws {
        let (account, new) = (try await provedAccount(), Account.newEmail())
        #expect(try await ask(new, account).status == 202)
        let code = try code("address_confirmation", to: new)
        let other = try await provedAccount()
        try installation.change(other.email, "email = '\(new)', email_normalized = '\(new)'")
        let refused = try await server.post("/auth/email/confirm", ["code": .string(code)])
        #expect(refused.status == 400 && refused.text == #"{"error":"Email already exists"}"#)
        let page = try await server.form("/account/address", [("code", code)])
        expectPage(page, 409)
        #expect(try await email(account) == .string(account.email))
    }

    @Test func `an address that was never proved: the page offers to set a password`() async throws {
        let (account, new) = (try await server.signUp(), Account.newEmail())
        #expect(try await ask(new, account).status == 202)
        let code = try code("address_confirmation", to: new)
        let done = try await server.form("/account/address", [("code", code)])
        expectPage(done, 200)
        #expect(done.text.contains("action=\"password\""))
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
    }
}

/// Sign-in later than a recent one.
@Suite(.needsServers) struct LateAddressChangeTests {
    @Test func `after a while it takes the password`() async throws {
        try await Installation { _ in }.run { installation in
            let account = try await installation.server.signUp()
            installation.clock.advance(by: .seconds(301))
            func ask(_ body: JSONValue) async throws -> TestHTTPResponse {
                try await installation.server.post("/auth/me/email", body, bearer: account.accessToken)
            }
            let refused = try await ask(["email": "new@example.com"])
            #expect(refused.status == 403 && refused.text == #"{"error":"Recent sign-in required"}"#)
            #expect(try await ask(["email": "new@example.com", "password": .string(Account.password)]).status == 202)
        }
    }
}
