import Endpoints
import Server
import TestSupport
import Testing
import Text

/// Contract §3.7 and §3.8.
@Suite(.needsServers, .installation { DjangoClient.useAllauthLinks(&$0) })
struct RestAuthRegisterTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    @Test(arguments: DjangoClient.Encoding.allCases)
    func `a registration gives a key and the cookies`(_ encoding: DjangoClient.Encoding) async throws {
        let values = [
            ("username", "chosen\(UInt32.random(in: 0 ... .max))"), ("email", Account.newEmail()),
            ("password1", DjangoClient.password), ("password2", DjangoClient.password),
        ]
        let response = try await django.send("/registration/", values, as: encoding)
        #expect(response.status == 201)
        #expect(response.keys == ["key"])
        #expect(response.cookie("sessionid") != nil)
        #expect(response.cookie("csrftoken") != nil)
        let user = try await django.user(try #require(response.key)).json
        #expect(user["username"] == .string(values[0].1))
        let mails = try installation.mails(to: values[1].1)
        #expect(mails.map(\.kind) == ["email_verification"])
    }

    @Test func `what is wrong is told by field, all at once`() async throws {
        let taken = try await django.register().email
        let name = String(taken.prefix { $0 != "@" })
        _ = try await django.user(try #require(try await django.logIn(taken).key))
        let required = JSONValue.array(["This field is required."])
        let cases: [(JSONValue, JSONValue)] = [
            ([:], ["email": required, "password1": required, "password2": required]),
            (
                ["email": .string(taken.uppercased()), "password1": "123", "password2": "x", "username": .string(name)],
                [
                    "username": ["A user with that username already exists."],
                    "email": ["A user is already registered with this e-mail address."],
                    "password1": [
                        "This password is too short. It must contain at least 8 characters.",
                        "This password is entirely numeric.",
                    ],
                ]
            ),
            (
                ["email": "nobody", "password1": "12345678", "password2": "x", "username": "a b"],
                [
                    "username": [
                        "Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters."
                    ],
                    "email": ["Enter a valid email address."],
                    "password1": ["This password is too common.", "This password is entirely numeric."],
                ]
            ),
            (
                ["email": "new@example.com", "password1": "long enough one", "password2": "long enough two"],
                ["non_field_errors": ["The two password fields didn't match."]]
            ),
        ]
        for (body, answer) in cases {
            let response = try await django.json("/registration/", String(decoding: body.serialized, as: UTF8.self))
            #expect(response.status == 400)
            #expect(response.json == answer, "\(response.text)")
        }
        #expect(try await django.logIn("new@example.com", "long enough one").status == 400)
    }

    @Test func `in Japanese an address that is taken is told in allauth's words`() async throws {
        let taken = try await django.register().email
        let values = [("email", taken), ("password1", "12345"), ("password2", "12345")]
        let response = try await django.send("/registration/", values, [("Accept-Language", "ja")])
        #expect(response.texts("email") == ["他のユーザーがこのメールアドレスを使用しています。"])
        #expect(
            response.texts("password1") == ["このパスワードは短すぎます。最低 8 文字以上必要です。", "このパスワードは数字しか使われていません。"])
    }

    @Test func `of many who want an address or a name at once one gets it`() async throws {
        let django = try django
        for field in ["email", "username"] {
            let name = "race\(UInt32.random(in: 0 ... .max))"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<8 {
                    let email = field == "email" ? "\(name)@example.com" : "\(name)-\(index)@example.com"
                    let more = field == "email" ? [] : [("username", name)]
                    group.addTask { try await django.register(email, more).response.status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201, 400, 400, 400, 400, 400, 400, 400])
        }
    }

    @Test func `a code proves an address, twice if need be`() async throws {
        let (email, response) = try await django.register()
        let installation = try self.installation
        let key = try #require(try installation.mails(to: email).first?.segments(after: "account-confirm-email").first)
        func isVerified() throws -> Bool {
            try TestDatabase.rows("SELECT email_verified FROM users WHERE email = '\(email)'", on: installation.databaseURL)
                == [["t"]]
        }
        #expect(try !isVerified())
        let page = try await django.get("/registration/account-confirm-email/\(key)/")
        #expect(page.status == 200)
        #expect(page.text.contains("value=\"\(key)\""))
        #expect(page.value("Referrer-Policy") == "no-referrer")
        #expect(try !isVerified())
        for _ in 0..<2 {
            let answer = try await django.send("/registration/verify-email/", [("key", key)])
            #expect(answer.status == 200)
            #expect(answer.text == #"{"detail":"ok"}"#)
        }
        #expect(try isVerified())
        installation.clock.advance(by: .seconds(1))
        // Nothing is left to verify: no mail, and the same answer.
        let resent = try await django.send("/registration/resend-email/", [("email", email)])
        #expect(resent.text == #"{"detail":"ok"}"#)
        #expect(try installation.mails(to: email).count == 1)
        _ = response
    }

    @Test func `the button of the page proves the address, with the slash and without`() async throws {
        for slash in ["", "/"] {
            let email = try await django.register().email
            let installation = try self.installation
            let key = try #require(try installation.mails(to: email).first?.segments(after: "account-confirm-email").first)
            let path = "/registration/account-confirm-email/\(key)\(slash)"
            for (method, isVerified) in [("GET", "f"), ("POST", "t"), ("POST", "t")] {
                let body: [(String, String)] = method == "POST" ? [("code", key)] : []
                // As a browser sends it from a page without referrer.
                let page = try await django.send(method, path, body, [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")])
                #expect(page.status == 200)
                #expect(page.value("Content-Type") == "text/html; charset=utf-8")
                #expect(page.text.contains("<form method=\"post\" action=\"?\">") == (method == "GET"))
                let rows = try TestDatabase.rows(
                    "SELECT email_verified FROM users WHERE email = '\(email)'", on: installation.databaseURL)
                #expect(rows == [[isVerified]])
            }
        }
        for key in ["x", String(repeating: "A", count: 43), "%3Cscript%3E"] {
            let page = try await django.send("/registration/account-confirm-email/\(key)/", [])
            #expect(page.status == 404)
            #expect(page.text.contains("no longer good") && !page.text.contains("<script"))
        }
    }

    @Test func `a code that is none is not found, and a missing one is told`() async throws {
        for key in ["x", String(repeating: "A", count: 43)] {
            let response = try await django.send("/registration/verify-email/", [("key", key)])
            #expect(response.status == 404)
            #expect(response.text == #"{"detail":"Not found."}"#)
        }
        #expect(try await django.json("/registration/verify-email/", "{}").text == #"{"key":["This field is required."]}"#)
        #expect(try await django.get("/registration/verify-email/").status == 405)
        #expect(try await django.get("/registration/account-confirm-email/%3Cscript%3E/").status == 404)
        #expect(try await django.get("/registration/account-email-verification-sent/").status == 200)
    }

    @Test func `a mail that is sent again makes the last one void, and there is an end to it`() async throws {
        let email = try await django.register().email
        let installation = try self.installation
        for _ in 0..<22 {
            #expect(try await django.send("/registration/resend-email/", [("email", email)]).status == 200)
        }
        let mails = try installation.mails(to: email)
        #expect(mails.count == 20)
        let keys = mails.compactMap { $0.segments(after: "account-confirm-email").first }
        #expect(Set(keys).count == 20)
        var statuses: [Int] = []
        for key in keys { statuses.append(try await django.send("/registration/verify-email/", [("key", key)]).status) }
        #expect(statuses.sorted() == [200] + Array(repeating: 404, count: 19))
        #expect(
            try await django.send("/registration/resend-email/", [("email", "nobody")]).json == [
                "email": ["Enter a valid email address."]
            ])
        #expect(try await django.send("/registration/resend-email/", [("email", Account.newEmail())]).text == #"{"detail":"ok"}"#)
    }
}

@Suite(
    .needsServers,
    .installation { configuration in
        DjangoClient.useAllauthLinks(&configuration)
        configuration.restAuth.emailVerification = .mandatory
        configuration.restAuth.loginName = .username
        configuration.restAuth.japanese = .all
    })
struct RestAuthMandatoryVerificationTests {
    @Test func `who must prove the address first gets no key before`() async throws {
        let installation = try #require(Installation.current)
        let django = DjangoClient(server: try installation.server)
        let name = "named\(UInt32.random(in: 0 ... .max))"
        let missing = try await django.register().response
        #expect(missing.json == ["username": ["This field is required."]])
        let (email, response) = try await django.register(Account.newEmail(), [("username", name)])
        #expect(response.status == 201)
        #expect(response.text == #"{"detail":"Verification e-mail sent."}"#)
        #expect(response.cookie("sessionid") == nil)
        let login = [("username", name), ("password", DjangoClient.password)]
        #expect(try await django.send("/login/", login).text == #"{"non_field_errors":["E-mail is not verified."]}"#)
        let wrong = try await django.send("/login/", [("username", name), ("password", "not the password")])
        #expect(wrong.text == RestAuthLoginTests.wrong)
        let key = try #require(try installation.mails(to: email).first?.segments(after: "account-confirm-email").first)
        #expect(try await django.send("/registration/verify-email/", [("key", key)]).status == 200)
        #expect(try await django.send("/login/", login).keys == ["key"])
        let upper = try await django.send("/login/", [("username", name.uppercased()), ("password", DjangoClient.password)])
        #expect(upper.status == 200)
        let byEmail = try await django.logIn(email)
        #expect(byEmail.text == #"{"non_field_errors":["Must include \"username\" and \"password\"."]}"#)
        let ja = try await django.send("/login/", [("username", "nobody"), ("password", "x")], [("Accept-Language", "ja")])
        #expect(ja.texts("non_field_errors") == ["提供された認証情報でログインできません。"])
    }
}
