import Endpoints
import Server
import TestSupport
import Testing
import Text

/// Contract §3.4 to §3.6.
/// One after the other, because some move the clock by more than a sign-in may take.
@Suite(.serialized, .needsServers, .installation { DjangoClient.useAllauthLinks(&$0) })
struct RestAuthPasswordTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    static let new = "another horse battery"

    private func change(_ key: String, _ values: [(String, String)]) async throws -> TestHTTPResponse {
        try await django.send("/password/change/", values, [("Authorization", "Token \(key)")])
    }

    private func reset(_ email: String) async throws -> [String] {
        try installation.clock.advance(by: .milliseconds(1))
        let response = try await django.send("/password/reset/", [("email", email)])
        #expect(response.status == 200)
        #expect(response.text == #"{"detail":"Password reset e-mail has been sent."}"#)
        let last = try installation.mails(to: email).last { $0.kind == "password_reset" }
        return last?.segments(after: "key").first?.split(separator: "-", maxSplits: 1).map(String.init) ?? []
    }

    private func confirm(_ uid: String, _ token: String, _ first: String = new, _ second: String = new) async throws
        -> TestHTTPResponse
    {
        try await django.json(
            "/password/reset/confirm/",
            #"{"uid":"\#(uid)","token":"\#(token)","new_password1":"\#(first)","new_password2":"\#(second)"}"#)
    }

    @Test func `a new password ends all sessions but the one that asks`() async throws {
        let (email, key) = try await django.signedIn()
        let other = try #require(try await django.logIn(email).key)
        let response = try await change(
            key, [("old_password", DjangoClient.password), ("new_password1", Self.new), ("new_password2", Self.new)])
        #expect(response.status == 200)
        #expect(response.text == #"{"detail":"New password has been saved."}"#)
        #expect(try await django.user(key).status == 200)
        #expect(try await django.user(other).status == 401)
        #expect(try await django.logIn(email).status == 400)
        #expect(try await django.logIn(email, Self.new).status == 200)
    }

    @Test func `what is wrong with a new password is told of the second field`() async throws {
        let (email, key) = try await django.signedIn()
        let mismatch = try await change(key, [("new_password1", Self.new), ("new_password2", "different")])
        #expect(mismatch.status == 400)
        #expect(mismatch.json == ["new_password2": ["The two password fields didn\u{2019}t match."]])
        let ja = try await django.send(
            "/password/change/", [("new_password1", Self.new), ("new_password2", "different")],
            [("Authorization", "Token \(key)"), ("Accept-Language", "ja")])
        #expect(ja.json == ["new_password2": ["確認用パスワードが一致しません。"]])
        for (password, texts) in [
            ("12345678", ["This password is too common.", "This password is entirely numeric."] as [JSONValue]),
            ("xK!9", ["This password is too short. It must contain at least 8 characters."]),
            (String(email.prefix { $0 != "@" }) + "1", ["The password is too similar to the username."]),
        ] {
            let response = try await change(key, [("new_password1", password), ("new_password2", password)])
            #expect(response.json == ["new_password2": .array(texts)], "\(response.text)")
        }
        let long = String(repeating: "x", count: 129)
        let tooLong: JSONValue = ["Ensure this field has no more than 128 characters."]
        let response = try await change(key, [("new_password1", long), ("new_password2", long)])
        #expect(response.json == ["new_password1": tooLong, "new_password2": tooLong])
        #expect(
            try await django.json("/password/change/", "{}", [("Authorization", "Token \(key)")]).json
                == ["new_password1": ["This field is required."], "new_password2": ["This field is required."]])
        #expect(try await django.json("/password/change/", "{}").status == 401)
        #expect(try await django.logIn(email).status == 200)
    }

    @Test func `a new password changes the cookie, and the key stays`() async throws {
        let (_, response) = try await django.register()
        let (key, jar) = (try #require(response.key), response.jar)
        let values = [
            ("old_password", DjangoClient.password), ("new_password1", Self.new), ("new_password2", Self.new),
        ]
        #expect(try await django.get("/user/", jar).status == 200)
        let changed = try await django.send("/password/change/", values, jar)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.cookieValue("sessionid") != response.cookieValue("sessionid"))
        #expect(changed.cookie("csrftoken") != nil)
        // Whoever had a copy of the old one is out.
        #expect(try await django.get("/user/", jar).status == 401)
        #expect(try await django.get("/user/", changed.jar).status == 200)
        #expect(try await django.user(key).status == 200)
        // Without a cookie there is none to change.
        let again = [("old_password", Self.new), ("new_password1", Self.new + "!"), ("new_password2", Self.new + "!")]
        let byKey = try await django.send("/password/change/", again, [("Authorization", "Token \(key)")])
        #expect(byKey.status == 200 && byKey.cookie("sessionid") == nil)
        #expect(try await django.user(key).status == 200)
        _ = try await django.send("/logout/", [], [("Authorization", "Token \(key)")])
        #expect(try await django.get("/user/", changed.jar).status == 401)
    }

    @Test func `a sign-in ends the session whose cookie it replaces`() async throws {
        let (email, first) = try await django.register()
        let second = try await django.logIn(email, DjangoClient.password, first.jar)
        #expect(second.status == 200)
        #expect(try await django.get("/user/", first.jar).status == 401)
        #expect(try await django.user(try #require(first.key)).status == 401)
        #expect(try await django.get("/user/", second.jar).status == 200)
        #expect(try await django.user(try #require(second.key)).status == 200)
    }

    @Test func `the old password must be right, and is asked for once the sign-in is old`() async throws {
        let (_, key) = try await django.signedIn()
        let both = [("new_password1", Self.new), ("new_password2", Self.new)]
        #expect(try await change(key, both + [("old_password", "wrong")]).json == ["old_password": ["Invalid password"]])
        #expect(try await change(key, both).status == 200)
        let clock = try installation.clock
        let (_, later) = try await django.signedIn()
        clock.advance(by: .seconds(301))
        #expect(try await change(later, both).json == ["old_password": ["This field is required."]])
        #expect(try await change(later, both + [("old_password", DjangoClient.password)]).status == 200)
    }

    @Test func `a mail sets a new password once, and ends all sessions`() async throws {
        let (email, key) = try await django.signedIn()
        let parts = try await reset(email.uppercased())
        try #require(parts.count == 2)
        let mail = try installation.mails(to: email).last { $0.kind == "password_reset" }
        #expect(mail?.link.hasPrefix("http://localhost:8080/accounts/password/reset/key/") == true)
        #expect(try await confirm("!", parts[1]).json == ["uid": ["Invalid value"]])
        #expect(try await confirm("OTk5OTk5OTk", parts[1]).json == ["token": ["Invalid value"]])
        #expect(try await confirm(parts[0], "x").json == ["token": ["Invalid value"]])
        #expect(try await confirm(parts[0], parts[1], Self.new, "different").texts("new_password2")?.count == 1)
        #expect(try await confirm(parts[0], parts[1], "12345678", "12345678").texts("new_password2")?.count == 2)
        let other = try await django.signedIn().email
        let others = try await reset(other)
        #expect(try await confirm(others[0], parts[1]).json == ["token": ["Invalid value"]])
        let done = try await confirm(parts[0], parts[1])
        #expect(done.status == 200)
        #expect(done.text == #"{"detail":"Password has been reset with the new password."}"#)
        #expect(done.cookie("sessionid") == nil)
        #expect(try await confirm(parts[0], parts[1]).json == ["token": ["Invalid value"]])
        #expect(try await django.user(key).status == 401)
        #expect(try await django.logIn(email, Self.new).status == 200)
    }

    @Test func `of many who bring one code at once one gets through`() async throws {
        let (email, _) = try await django.signedIn()
        let parts = try await reset(email)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                group.addTask {
                    try await self.confirm(parts[0], parts[1], "\(Self.new) \(index)", "\(Self.new) \(index)").status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        #expect(statuses.filter { $0 == 400 }.count == 19)
    }

    @Test func `a newer mail, another password and time make a code void`() async throws {
        let (email, key) = try await django.signedIn()
        let first = try await reset(email)
        let second = try await reset(email)
        #expect(try await confirm(first[0], first[1]).json == ["token": ["Invalid value"]])
        #expect(
            try await change(
                key, [("old_password", DjangoClient.password), ("new_password1", Self.new), ("new_password2", Self.new)]
            ).status == 200)
        #expect(try await confirm(second[0], second[1]).json == ["token": ["Invalid value"]])
    }

    @Test func `a verification code sets no password`() async throws {
        let (email, _) = try await django.signedIn()
        let code = try #require(try installation.mails(to: email).first?.segments(after: "account-confirm-email").first)
        let uid = try await reset(email)[0]
        #expect(try await confirm(uid, code).json == ["token": ["Invalid value"]])
    }

    @Test func `nobody learns whether an address is known, and strangers get no mail`() async throws {
        let known = try await django.signedIn().email
        let (unknown, disabled) = (Account.newEmail(), try await django.signedIn().email)
        let installation = try self.installation
        try installation.change(disabled, "disabled_at = now()")
        var answers: [String] = []
        for email in [known, unknown, disabled] {
            answers.append(try await django.send("/password/reset/", [("email", email)]).constantPart)
        }
        #expect(Set(answers).count == 1)
        #expect(try installation.mails(to: known).contains { $0.kind == "password_reset" })
        #expect(try installation.mails(to: unknown).isEmpty)
        #expect(try !installation.mails(to: disabled).contains { $0.kind == "password_reset" })
        #expect(
            try await django.send("/password/reset/", [("email", "nobody")]).json == ["email": ["Enter a valid email address."]])
        #expect(try await django.json("/password/reset/", "{}").json == ["email": ["This field is required."]])
    }

    @Test func `the link is that of the configuration, whatever host the request names`() async throws {
        let email = try await django.signedIn().email
        for field in ["X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"] {
            _ = try await django.send("/password/reset/", [("email", email)], [(field, "evil.example")])
        }
        for mail in try installation.mails(to: email) { #expect(mail.link.hasPrefix("http://localhost:8080/")) }
    }

    @Test func `a mail is in the language of who asked, and its link is nowhere in the clear`() async throws {
        let email = try await django.signedIn().email
        let installation = try self.installation
        _ = try await django.send("/password/reset/", [("email", email)], [("Accept-Language", "ja-JP")])
        let mail = try #require(try installation.mails(to: email).last { $0.kind == "password_reset" })
        #expect(mail.language == "ja")
        let code = try #require(mail.segments(after: "key").first?.split(separator: "-", maxSplits: 1).last)
        #expect(try !TestDatabase.contents(of: installation.databaseURL).contains(code))
    }
}

@Suite(.needsServers, .installation { $0.restAuth.changesPasswordWithoutOld = true })
struct RestAuthParityTests {
    @Test func `an old session may set a password if the API is told so`() async throws {
        let installation = try #require(Installation.current)
        let django = DjangoClient(server: try installation.server)
        let key = try await django.signedIn().key
        installation.clock.advance(by: .seconds(3600))
        let values = [("new_password1", RestAuthPasswordTests.new), ("new_password2", RestAuthPasswordTests.new)]
        #expect(try await django.send("/password/change/", values, [("Authorization", "Token \(key)")]).status == 200)
    }
}
