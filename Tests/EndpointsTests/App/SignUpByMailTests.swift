import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// Sign-up that says nothing of the address (`KIDOBAN_SIGN_UP_BY_MAIL`).
@Suite(
    .needsServers,
    .installation {
        $0.accounts.signsUpByMail = true
        TestProvider.configure(&$0)
    })
struct SignUpByMailTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var server: TestHTTPClient { get throws { try installation.server } }

    private func register(_ email: String, _ password: String = Account.password) async throws -> TestHTTPResponse {
        try await server.post(
            "/auth/register", ["email": .string(email), "password": .string(password), "name": "Mei"])
    }

    private func logIn(_ email: String, _ password: String = Account.password) async throws -> TestHTTPResponse {
        try await server.post("/auth/login", ["email": .string(email), "password": .string(password)])
    }

    /// One who has signed up and confirmed the address.
    private func member() async throws -> String {
        let email = Account.newEmail()
        #expect(try await register(email).status == 202)
        let mail = try #require(try installation.mails(to: email).last)
        #expect(mail.kind == "email_verification")
        #expect(
            try await server.post("/auth/email/verification/confirm", ["code": .string(mail.code)]).status == 204)
        return email
    }

    @Test func `a sign-up is completed by the mail's link`() async throws {
        let email = Account.newEmail()
        let answer = try await register(email)
        #expect(answer.status == 202)
        #expect(answer.text == #"{"status":"accepted"}"#)
        #expect(try await logIn(email).text == #"{"error":"Invalid email or password"}"#)
        let mail = try #require(try installation.mails(to: email).last)
        #expect(try await server.form("/account/email", [("code", mail.code)]).status == 200)
        let signedIn = try await logIn(email)
        #expect(signedIn.status == 200)
        #expect(signedIn.json["user"]?["name"] == "Mei")
        #expect(signedIn.json["user"]?["email_verified"] == .bool(true))
    }

    @Test func `an address that has an account gets the same answer, and its owner a mail`() async throws {
        let email = try await member()
        let (known, unknown) = (try await register(email, "a stranger's guess"), try await register(Account.newEmail()))
        #expect(known.status == unknown.status && known.text == unknown.text)
        #expect(try await register(email, "short").status == 400)
        let mail = try #require(try installation.mails(to: email).last)
        #expect(mail.kind == "sign_up_attempted")
        // The stranger's password opens nothing, the owner's as before, and the link is one for a new password.
        #expect(try await logIn(email, "a stranger's guess").status == 401)
        #expect(try await logIn(email).status == 200)
        let reset: JSONValue = ["code": .string(mail.code), "password": "another horse battery"]
        #expect(try await server.post("/auth/password/reset/confirm", reset).status == 204)
        #expect(try await logIn(email, "another horse battery").status == 200)
    }

    @Test func `a password tells in no API whether a sign-up made the account`() async throws {
        let (new, known) = (Account.newEmail(), try await member())
        for email in [new, known] { #expect(try await register(email, "a stranger's guess").status == 202) }
        let django = DjangoClient(server: try server)
        for (path, fields) in [
            ("/login", [("username", new), ("password", "a stranger's guess")]),
            ("/login", [("email", new), ("password", "a stranger's guess")]),
            ("/auth/token", [("username", new), ("password", "a stranger's guess")]),
        ] {
            let first = try await server.form(path, fields)
            let second = try await server.form(path, fields.map { $0.1 == new ? ($0.0, known) : $0 })
            #expect(first.status == second.status && first.text == second.text, "\(path) \(first.text) \(second.text)")
            #expect(first.status >= 400)
        }
        let first = try await django.logIn(new, "a stranger's guess")
        let second = try await django.logIn(known, "a stranger's guess")
        #expect(first.status == 400 && first.text == second.text)
    }

    @Test func `the rest-auth API says no more`() async throws {
        let django = DjangoClient(server: try server)
        let (new, known) = (Account.newEmail(), try await member())
        for email in [new, known, new, known] {
            let answer = try await django.send(
                "/registration/",
                [
                    ("email", email), ("username", "tell-tale"), ("password1", DjangoClient.password),
                    ("password2", DjangoClient.password),
                ])
            #expect(answer.status == 201)
            #expect(answer.text == #"{"detail":"Verification e-mail sent."}"#)
        }
        #expect(try installation.mails(to: new).map(\.kind) == ["email_verification", "sign_up_attempted"])
        #expect(try installation.mails(to: known).map(\.kind).suffix(2) == ["sign_up_attempted", "sign_up_attempted"])
    }

    @Test func `a disabled user's owner gets no mail, and the answer is the same`() async throws {
        let email = try await member()
        _ = try await installation.command(["user", "disable", email])
        let count = try installation.mails(to: email).count
        #expect(try await register(email).status == 202)
        #expect(try installation.mails(to: email).count == count)
    }

    @Test func `an address that nobody answers for is answered the same, whether it has an account or not`() async throws {
        let (new, known) = (Account.newEmail(), try await member())
        var seen: [[String]] = []
        for (path, password) in [("/auth/oauth", nil), ("/auth/register", nil), ("/auth/register", "a stranger's guess")] {
            var answers: [String] = []
            for email in [new, known] {
                var members: KeyValuePairs<String, JSONValue> = ["email": .string(email)]
                if let password { members = ["email": .string(email), "password": .string(password)] }
                let answer = try await server.signIn("apple", TestProvider.apple(Person(), ["email": nil]), members, at: path)
                #expect(answer.json["user"]?["email_verified"] == false)
                answers.append("\(answer.status) \(answer.keys.sorted())")
                // Whoever it is, the password is not the owner's and opens nothing.
                if let password { #expect(try await logIn(email, password).status == 401) }
            }
            seen.append(answers)
        }
        for answers in seen { #expect(answers[0] == answers[1]) }
        #expect(try await logIn(known).status == 200)
        // The owner of the new address signs up with it all the same.
        #expect(try await register(new).status == 202)
        let mail = try #require(try installation.mails(to: new).last)
        #expect(try await server.post("/auth/email/verification/confirm", ["code": .string(mail.code)]).status == 204)
        #expect(try await logIn(new).status == 200)
    }
}
