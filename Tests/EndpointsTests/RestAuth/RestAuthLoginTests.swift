import Endpoints
import HTTP
import Routing
import Server
import TestSupport
import Testing
import Text

/// Contract §3.1, and the conventions of §2 at the example of login.
@Suite(
    .needsServers,
    .installation { $0.cookies.trustedOrigins = Set([WebOrigin("https://www.town.example")].compactMap(\.self)) })
struct RestAuthLoginTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    static let wrong = #"{"non_field_errors":["Unable to log in with provided credentials."]}"#

    @Test(arguments: DjangoClient.Encoding.allCases)
    func `a sign-in gives a key and the two cookies, however it is encoded`(_ encoding: DjangoClient.Encoding) async throws {
        let email = try await django.register().email
        let response = try await django.send("/login/", [("email", email), ("password", DjangoClient.password)], as: encoding)
        #expect(response.status == 200)
        #expect(response.keys == ["key"])
        #expect(try #require(response.key).wholeMatch(of: /[0-9a-f]{40}/) != nil)
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Cache-Control") == "no-store")
        let session = try #require(response.cookie("sessionid"))
        for attribute in ["Max-Age=1209600", "Path=/", "HttpOnly", "SameSite=Lax"] { #expect(session.contains("; \(attribute)")) }
        #expect(!session.contains("Secure") && !session.contains("Domain"))
        let csrf = try #require(response.cookie("csrftoken"))
        for attribute in ["Max-Age=31449600", "Path=/", "SameSite=Lax"] { #expect(csrf.contains("; \(attribute)")) }
        #expect(!csrf.contains("HttpOnly"))
    }

    @Test(arguments: [
        ("{}", #"{"password":["This field is required."]}"#),
        (#"{"password":"x"}"#, #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#),
        (#"{"password":"x","username":"x"}"#, #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#),
        (#"{"password":"x","email":""}"#, #"{"non_field_errors":["Must include \"email\" and \"password\"."]}"#),
        (#"{"email":"a@example.com","password":""}"#, #"{"password":["This field may not be blank."]}"#),
        (#"{"email":"a@example.com","password":"  "}"#, #"{"password":["This field may not be blank."]}"#),
        (
            #"{"email":null,"password":null,"username":null}"#,
            #"{"username":["This field may not be null."],"email":["This field may not be null."],"password":["This field may not be null."]}"#
        ),
        (#"{"email":"nobody","password":"x"}"#, #"{"email":["Enter a valid email address."]}"#),
        (
            #"{"email":["a@example.com"],"password":{"$ne":null}}"#,
            #"{"email":["Enter a valid email address."],"password":["Not a valid string."]}"#
        ),
        (
            #"{"email":"a\u0000@example.com","password":"x\u0000"}"#,
            #"{"email":["Null characters are not allowed.","Enter a valid email address."],"password":["Null characters are not allowed."]}"#
        ),
        (#"{"email":"nobody"}"#, #"{"email":["Enter a valid email address."],"password":["This field is required."]}"#),
        (#"{"email":"nobody-there@example.com","password":12345678}"#, wrong),
        ("[]", #"{"non_field_errors":["Invalid data. Expected a dictionary, but got list."]}"#),
        ("\"x\"", #"{"non_field_errors":["Invalid data. Expected a dictionary, but got str."]}"#),
        ("1", #"{"non_field_errors":["Invalid data. Expected a dictionary, but got int."]}"#),
        ("null", #"{"non_field_errors":["No data provided"]}"#),
    ])
    func `what is wrong is told in lists`(_ body: String, _ answer: String) async throws {
        let response = try await django.json("/login/", body)
        #expect(response.status == 400)
        #expect(response.text == answer)
    }

    @Test func `without a body the password is missing`() async throws {
        let response = try await django.server.send("POST", "/rest-auth/login/")
        #expect(response.status == 400)
        #expect(response.text == #"{"password":["This field is required."]}"#)
    }

    @Test func `malformed JSON is told apart`() async throws {
        let response = try await django.json("/login/", "{")
        #expect(response.status == 400)
        #expect(response.json["detail"]?.stringValue?.hasPrefix("JSON parse error - ") == true)
    }

    @Test func `nobody can tell why a sign-in failed`() async throws {
        let (known, disabled) = (try await django.register().email, try await django.register().email)
        try installation.change(disabled, "disabled_at = now()")
        let answers = [
            try await django.logIn(known, "not the password"), try await django.logIn(disabled, "not the password"),
            try await django.logIn(Account.newEmail()), try await django.logIn(known, "not\0 it"),
        ]
        for answer in answers.prefix(3) {
            #expect(answer.status == 400)
            #expect(answer.text == Self.wrong)
            #expect(answer.cookie("sessionid") == nil)
            #expect(answer.constantPart == answers[0].constantPart)
        }
        #expect(answers[3].status == 400)
        // Only who has the password learns that.
        let told = try await django.logIn(disabled)
        #expect(told.status == 400)
        #expect(told.text == #"{"non_field_errors":["User account is disabled."]}"#)
        #expect(told.cookie("sessionid") == nil)
    }

    @Test(
        arguments: [
            ([("Referer", "http://localhost:8080/page")], 200), ([("Referer", "https://www.town.example/page")], 200),
            ([("Referer", "https://evil.example/http://localhost:8080/")], 403),
            ([("Referer", "https://www.town.example.evil.example/")], 403),
            ([("Origin", "https://www.town.example")], 200), ([("Origin", "http://localhost:8080")], 200),
            ([("Origin", "https://www.town.example"), ("Sec-Fetch-Site", "cross-site")], 200),
            ([("Sec-Fetch-Site", "same-site")], 403), ([("Sec-Fetch-Site", "same-origin")], 200),
            ([("Origin", "https://evil.example"), ("Referer", "http://localhost:8080/")], 403),
        ] as [([(String, String)], Int)])
    func `pages of the trusted origins may sign in, as at the cookie API`(_ fields: [(String, String)], _ status: Int)
        async throws
    {
        let email = try await django.register().email
        let response = try await django.logIn(email, DjangoClient.password, fields.map { (name: $0.0, value: $0.1) })
        #expect(response.status == status, "\(response.text)")
    }

    @Test func `white space around a password is forgiven, as who came from the original is used to`() async throws {
        let email = try await django.register().email
        for password in [" \(DjangoClient.password) ", "\(DjangoClient.password)\n"] {
            #expect(try await django.logIn(email, password).status == 200)
        }
        #expect(try await django.logIn(email, "correct  horse battery").text == Self.wrong)
        let (spaced, response) = try await django.register(password: " \(DjangoClient.password)")
        #expect(response.status == 201)
        #expect(try await django.logIn(spaced, " \(DjangoClient.password)").status == 200)
        #expect(try await django.logIn(spaced, DjangoClient.password).text == Self.wrong)
    }

    @Test func `the address may be typed in another case`() async throws {
        let email = try await django.register().email
        #expect(try await django.logIn(email.uppercased()).status == 200)
    }

    @Test func `an address with a plus that nobody has encoded is understood`() async throws {
        let email = "plus+tag-\(Account.newEmail())"
        #expect(try await django.register(email).response.status == 201)
        let body = "email=\(email)&password=\(DjangoClient.password.replacing(" ", with: "+"))"
        let type = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        let response = try await django.server.send("POST", "/rest-auth/login/", type, body: body)
        #expect(response.status == 200, "\(response.text)")
    }

    @Test(arguments: ["a&b=c%zz+d 100%", "pass+word+plus", "%41%42%43%44 and more", "amper&sand=and&more", "パスワード＆です&長い"])
    func `a password that nobody has encoded is tried as it came`(_ password: String) async throws {
        let email = Account.newEmail()
        #expect(try await django.register(email, password: password).response.status == 201)
        let type = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        let raw = try await django.server.send(
            "POST", "/rest-auth/login/", type, body: "email=\(email)&password=\(password)")
        #expect(raw.status == 200, "\(raw.text)")
        #expect(try await django.logIn(email, password).status == 200)
        let other = try await django.server.send(
            "POST", "/rest-auth/login/", type, body: "email=\(email)&password=x\(password)")
        #expect(other.text == Self.wrong)
    }

    @Test func `neither the cookies of the last sign-in nor a stale key are in the way of the next`() async throws {
        let (email, first) = try await django.register()
        let second = try await django.logIn(
            email, DjangoClient.password, first.jar + [("Authorization", "Token 0000000000000000000000000000000000000000")])
        #expect(second.status == 200)
        #expect(second.key != first.key)
        #expect(second.cookieValue("sessionid") != first.cookieValue("sessionid"))
    }

    @Test(arguments: [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example"), ("Origin", "null")])
    func `a page of another site signs nobody in`(_ field: String, _ value: String) async throws {
        let email = try await django.register().email
        let response = try await django.logIn(email, DjangoClient.password, [(field, value)])
        #expect(response.status == 403)
        #expect(response.json["detail"]?.stringValue?.hasPrefix("CSRF Failed: ") == true)
    }

    @Test func `another method is not allowed`() async throws {
        for path in ["/login/", "/login"] {
            let response = try await django.get(path)
            #expect(response.status == 405)
            #expect(response.text == #"{"detail":"Method \"GET\" not allowed."}"#)
            // Trusted pages elsewhere ask first.
            #expect(response.value("Allow") == "OPTIONS, POST")
        }
    }

    @Test func `another content type is not supported, and named`() async throws {
        let fields = [(name: "Content-Type", value: "text/plain")]
        let response = try await django.server.send("POST", "/rest-auth/login/", fields, body: "x")
        #expect(response.status == 415)
        #expect(response.text == #"{"detail":"Unsupported media type \"text/plain\" in request."}"#)
    }

    @Test(arguments: ["/rest-auth/login/", "/rest-auth/login", "/dj-rest-auth/login/", "/dj-rest-auth/login"])
    func `every spelling of the path is served, and none is redirected`(_ path: String) async throws {
        let email = try await django.register().email
        let response = try await django.server.form(path, [("email", email), ("password", DjangoClient.password)])
        #expect(response.status == 200)
        #expect(response.keys == ["key"])
    }

    @Test func `what is not there is not found, in this API's words`() async throws {
        let response = try await django.get("/nothing/")
        #expect(response.status == 404)
        #expect(response.text == #"{"detail":"Not found."}"#)
    }

    @Test(arguments: [
        ("ja-JP,ja;q=0.9,en;q=0.8", "この項目は必須です。"), ("ja", "この項目は必須です。"), ("en-US,ja;q=0.5", "This field is required."),
        ("de, fr;q=0.9", "This field is required."), ("ja;q=0, en", "This field is required."),
        ("de;q=0.9, ja;q=0.1", "この項目は必須です。"),
    ])
    func `sentences are in the first language of the client that there is`(_ languages: String, _ text: String) async throws {
        let response = try await django.json("/login/", "{}", [("Accept-Language", languages)])
        #expect(response.texts("password") == [text])
    }

    @Test func `the framework speaks Japanese, and rest-auth itself does not`() async throws {
        let ja = [(name: "Accept-Language", value: "ja-JP")]
        #expect(try await django.get("/login/", ja).json["detail"] == #"メソッド "GET" は許されていません。"#)
        #expect(try await django.get("/nothing/", ja).json["detail"] == "見つかりませんでした。")
        #expect(try await django.get("/user/", ja).json["detail"] == "認証情報が含まれていません。")
        let spaces = try await django.get("/user/", ja + [("Authorization", "Token a b")])
        #expect(spaces.json["detail"] == "不正なトークンヘッダです。トークン文字列に空白を含めてはいけません。")
        let types = try await django.json("/login/", #"{"email":[],"password":{}}"#, ja)
        #expect(types.json == ["email": ["有効なメールアドレスを入力してください。"], "password": ["Not a valid string."]])
        #expect(
            try await django.json("/login/", "[]", ja).texts("non_field_errors") == ["不正なデータです。list 型ではなく辞書を入力してください。"])
        let wrong = try await django.logIn(Account.newEmail(), "not the password", ja)
        #expect(wrong.text == Self.wrong)
        #expect(wrong.value("Content-Language") == "ja")
    }
}

@Suite(.needsServers, .installation { $0.restAuth.loginName = .either })
struct RestAuthEitherNameTests {
    @Test func `an address is understood in the field of the username`() async throws {
        let django = DjangoClient(server: try #require(Installation.current).server)
        let name = "either\(UInt32.random(in: 0 ... .max))"
        let email = try await django.register(Account.newEmail(), [("username", name)]).email
        let (other, response) = try await django.register(password: "another horse battery", [("username", email)])
        #expect(response.status == 201)
        let unclaimed = "\(name)@town.example"
        _ = try await django.register(password: "a third horse battery", [("username", unclaimed)])
        for (username, password, owner) in [
            (name, DjangoClient.password, email), (email, DjangoClient.password, email),
            (email.uppercased(), DjangoClient.password, email),
            (other, "another horse battery", other), (email, "another horse battery", other),
            (unclaimed, "a third horse battery", nil),
        ] as [(String, String, String?)] {
            let signedIn = try await django.send("/login/", [("username", username), ("password", password)])
            let user = try await django.user(try #require(signedIn.key, "\(username)"))
            #expect(owner == nil || user.json["email"]?.stringValue == owner)
        }
        for username in [email, unclaimed, Account.newEmail(), "nobody-\(name)", "not a name"] {
            let wrong = try await django.send("/login/", [("username", username), ("password", "a fourth horse battery")])
            #expect(wrong.text == RestAuthLoginTests.wrong)
        }
    }

    @Test func `who takes a stranger's username for an address, or the other way round, locks nobody out`() async throws {
        let installation = try #require(Installation.current)
        let django = DjangoClient(server: try installation.server)
        let (name, other) = (Account.newEmail(), "another horse battery")
        let (email, registered) = try await django.register(Account.newEmail(), [("username", name)])
        #expect(registered.status == 201, "\(registered.text)")
        let claim: JSONValue = ["email": .string(name), "password": .string(other)]
        #expect(try await installation.server.post("/auth/register", claim).status == 201)
        func owner(_ field: String, _ password: String) async throws -> String? {
            let signedIn = try await django.send("/login/", [(field, name), ("password", password)])
            guard let key = signedIn.key else { return nil }
            return try await django.user(key).json["email"]?.stringValue
        }
        #expect(try await owner("username", DjangoClient.password) == email)
        #expect(try await owner("username", other) == name)
        #expect(try await owner("username", "a third horse battery") == nil)
        // What can be nothing but an address is one.
        #expect(try await owner("email", other) == name)
    }
}
