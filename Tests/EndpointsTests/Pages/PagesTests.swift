import Crypto
import HTTP
import Server
import TestSupport
import Testing
import Text

@testable import Endpoints

/// The pages behind the links in mails, as a browser without scripts asks for them.
@Suite(.needsServers, .installation()) struct PagesTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }
    private static let new = "another horse battery"

    /// A user who has asked for a new password, and the code of the mail.
    private func reset() async throws -> (account: Account, code: String) {
        let account = try await server.signUp()
        let django = DjangoClient(server: try server)
        #expect(try await django.send("/password/reset/", [("email", account.email)]).status == 200)
        let mail = try #require(try installation.mails(to: account.email).last { $0.kind == "password_reset" })
        #expect(mail.link == "http://localhost:8080/account/password?code=\(mail.code)")
        return (account, mail.code)
    }

    private func set(
        _ code: String, _ password: String = new, _ again: String = new, _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        var request = TestHTTPRequest.form(
            "/account/password", [("code", code), ("password", password), ("password_again", again)])
        request.fields += fields
        return try await server.send(request)
    }

    private func expectPage(
        _ response: TestHTTPResponse, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.value("Content-Type") == "text/html; charset=utf-8", sourceLocation: sourceLocation)
        #expect(
            response.value("Content-Security-Policy")?.hasPrefix(
                "default-src 'none'; style-src 'sha256-\(PageLook.plain.styleHash)'") ?? false,
            sourceLocation: sourceLocation)
        #expect(response.value("Referrer-Policy") == "no-referrer", sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(!response.text.contains("<script"), sourceLocation: sourceLocation)
    }

    @Test func `the link leads to a form that sets a new password, once, and ends all sessions`() async throws {
        let (account, code) = try await reset()
        for _ in 0..<3 {
            let form = try await server.get("/account/password?code=\(code)")
            expectPage(form, 200)
            #expect(form.text.contains("<input type=\"hidden\" name=\"code\" value=\"\(code)\">"))
            #expect(form.text.contains("<label for=\"password\">"))
        }
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 200)
        // As a browser sends it from a page without referrer.
        let done = try await set(code, Self.new, Self.new, [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")])
        expectPage(done, 200)
        #expect(done.value("Clear-Site-Data") == "\"cache\"")
        #expect(try await server.get("/auth/me", bearer: account.accessToken).status == 401)
        expectPage(try await set(code), 404)
        expectPage(try await server.get("/account/password?code=\(code)"), 404)
        let login: JSONValue = ["email": .string(account.email), "password": .string(Self.new)]
        #expect(try await server.post("/auth/login", login).status == 200)
    }

    @Test(
        arguments: [
            ("short", "short", "too short"), (new, "different", "not the same"), ("", "", "Enter a password"),
            ("password1234", "password1234", "too common"), (new, "", "not the same"),
        ])
    func `what is wrong is said with the form, and the code stays good`(
        _ password: String, _ again: String, _ text: String
    ) async throws {
        let (_, code) = try await reset()
        let refused = try await set(code, password, again)
        expectPage(refused, 400)
        #expect(refused.text.contains("role=\"alert\"") && refused.text.contains(text))
        #expect(refused.text.contains("value=\"\(code)\"") && refused.text.contains("aria-invalid=\"true\""))
        expectPage(try await set(code), 200)
    }

    @Test func `the pages are in the reader's language`() async throws {
        let (_, code) = try await reset()
        let page = try await server.send("GET", "/account/password?code=\(code)", [("Accept-Language", "ja-JP,ja;q=0.9")])
        expectPage(page, 200)
        #expect(page.text.contains("<html lang=\"ja\">") && page.text.contains("新しいパスワードの設定"))
        #expect(page.value("Content-Language") == "ja")
        #expect(page.value("Vary") == "Accept-Language")
    }

    @Test func `a code that is none, or for something else, shows no form`() async throws {
        let account = try await server.signUp()
        let verification = try #require(try installation.mails(to: account.email).first { $0.kind == "email_verification" })
        for query in ["", "?code=", "?code=x", "?code=\(verification.code)", "?code=%22%3E%3Cb%3E", "?code=%zz", "?a&a"] {
            let page = try await server.get("/account/password\(query)")
            expectPage(page, 404)
            #expect(!page.text.contains("<form") && !page.text.contains("<b>"))
        }
        expectPage(try await set(verification.code), 404)
        expectPage(try await server.form("/account/password", [("password", Self.new)]), 404)
    }

    @Test func `who signs up in the app gets a mail, and its page confirms the address by a button only`() async throws {
        let account = try await server.signUp()
        let mail = try #require(try installation.mails(to: account.email).first)
        #expect(mail.kind == "email_verification" && mail.language == "en")
        #expect(mail.link == "http://localhost:8080/account/email?code=\(mail.code)")
        func isVerified() async throws -> Bool {
            try await server.get("/auth/me", bearer: account.accessToken).json["email_verified"] == .bool(true)
        }
        expectPage(try await server.get("/account/email?code=\(mail.code)"), 200)
        #expect(try await !isVerified())
        for _ in 0..<2 {
            expectPage(try await server.form("/account/email", [("code", mail.code)]), 200)
            #expect(try await isVerified())
        }
        expectPage(try await server.form("/account/email", [("code", "x")]), 404)
        expectPage(try await server.form("/account/email", [("other", "x")]), 404)
    }

    @Test func `what comes into a page is escaped`() async throws {
        let page = try await server.get("/account/email?code=%22%3E%3Cscript%3E%26%27")
        expectPage(page, 200)
        #expect(page.text.contains("value=\"&quot;&gt;&lt;script&gt;&amp;&#39;\""))
    }

    @Test func `another method, type and path are told by a page too`() async throws {
        expectPage(try await server.delete("/account/email"), 405)
        expectPage(try await server.post("/account/email", ["code": "x"]), 415)
        expectPage(try await server.get("/account/nothing"), 404)
    }

    @Test func `the policy allows the style of the pages and nothing else`() throws {
        let look = PageLook(name: "Town", logo: "https://pictures.example/logo.png", accent: try #require(PageColour("#ffcc00")))
        #expect(look.styleHash == Base64.encode(SHA256.hash(look.style).bytes))
        let plain = Page(title: "x", language: .english, look: .plain).response(.ok).fields.values(
            named: "Content-Security-Policy")
        let style = "default-src 'none'; style-src 'sha256-\(PageLook.plain.styleHash)'; frame-ancestors 'none'; base-uri 'none'"
        #expect(plain == [style + "; form-action 'self'"])
        let other = Page(title: "x", language: .english, look: look).response(.ok).fields.values(named: "Content-Security-Policy")
        #expect(other[0].hasSuffix("; img-src https://pictures.example") && look.style.contains("--onaccent:#0d1117"))
    }
}

/// Sign-ups where no mail is wanted, or no page is there for its link.
@Suite(.needsServers) struct VerificationMailTests {
    @Test func `no mail is written where it is switched off`() async throws {
        try await Installation({ $0.app.mailsVerification = false }).run { installation in
            let account = try await installation.server.signUp()
            #expect(try installation.mails(to: account.email).isEmpty)
        }
    }

    @Test func `it is in the language of the request, and leads to the team's own page if there is one`() async throws {
        try await Installation({
            $0.apis.open = .only(["app"])
            $0.restAuth.explicitVerificationLink = "https://town.example/confirm#{key}"
        }).run { installation in
            let email = Account.newEmail()
            var request = TestHTTPRequest.json(
                "POST", "/auth/register",
                (["email": .string(email), "password": .string(Account.password)] as JSONValue).serialized)
            request.fields.append(("Accept-Language", "ja"))
            #expect(try await installation.server.send(request).status == 201)
            let mail = try #require(try installation.mails(to: email).first)
            #expect(mail.language == "ja" && mail.link.hasPrefix("https://town.example/confirm#"))
        }
    }
}
