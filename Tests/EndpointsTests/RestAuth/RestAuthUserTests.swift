import TestSupport
import Testing
import Text

/// Contract §2 (the token header) and §3.3.
@Suite(.needsServers, .installation())
struct RestAuthUserTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    @Test func `a user has five members, and pk is a whole number`() async throws {
        let (email, key) = try await django.signedIn()
        let response = try await django.user(key)
        #expect(response.status == 200)
        #expect(response.keys == ["pk", "username", "email", "first_name", "last_name"])
        guard case .integer(let number)? = response.json["pk"] else { throw Installation.Failure(reason: response.text) }
        #expect(number > 0)
        #expect(response.json["email"] == .string(email))
        #expect(response.json["username"] == .string(String(email.prefix { $0 != "@" })))
        #expect(response.json["first_name"] == "")
        #expect(try await django.user(key).text == response.text)
    }

    @Test(arguments: [
        (nil, "Authentication credentials were not provided."), ("Bearer abc", "Authentication credentials were not provided."),
        ("Basic YTpi", "Authentication credentials were not provided."),
        ("Token", "Invalid token header. No credentials provided."),
        ("Token ", "Invalid token header. No credentials provided."),
        ("Token a b", "Invalid token header. Token string should not contain spaces."),
        ("Token abc", "Invalid token."), ("token 0123456789012345678901234567890123456789", "Invalid token."),
    ])
    func `what is wrong with the header is told with a challenge`(_ header: String?, _ detail: String) async throws {
        let response = try await django.get("/user/", header.map { [("Authorization", $0)] } ?? [])
        #expect(response.status == 401)
        #expect(response.json == ["detail": .string(detail)])
        #expect(response.value("WWW-Authenticate") == "Token")
    }

    @Test(arguments: ["Token", "token", "TOKEN", "tOkEn"])
    func `the keyword counts in any case`(_ keyword: String) async throws {
        let key = try await django.signedIn().key
        #expect(try await django.get("/user/", [("Authorization", "\(keyword) \(key)")]).status == 200)
    }

    @Test func `an access token of another API is no key`() async throws {
        let account = try await django.server.signUp()
        for header in ["Bearer \(account.accessToken)", "Token \(account.accessToken)"] {
            #expect(try await django.get("/user/", [("Authorization", header)]).status == 401)
        }
    }

    @Test func `a key whose owner is barred or gone is not good`() async throws {
        let (email, key) = try await django.signedIn()
        try installation.change(email, "disabled_at = now()")
        let response = try await django.user(key)
        #expect(response.status == 401)
        #expect(response.text == #"{"detail":"User inactive or deleted."}"#)
        try TestDatabase.run("DELETE FROM users WHERE email = '\(email)'", on: try installation.databaseURL)
        #expect(try await django.user(key).text == response.text)
    }

    @Test func `the cookie is as good as the key, but not for pages of other sites`() async throws {
        let response = try await django.register().response
        #expect(try await django.get("/user/", response.jar).status == 200)
        let change = [("first_name", "Ada")]
        #expect(
            try await django.send("PATCH", "/user/", change, response.jar + [("Origin", "https://evil.example")]).status == 403)
        #expect(try await django.send("PATCH", "/user/", change, response.jar).status == 200)
        #expect(
            try await django.send("PATCH", "/user/", change, response.jar + [("Origin", "http://localhost:8080")]).status == 200)
    }

    @Test(arguments: DjangoClient.Encoding.allCases)
    func `names and username change, the address and the number do not`(_ encoding: DjangoClient.Encoding) async throws {
        let (email, key) = try await django.signedIn()
        let before = try await django.user(key).json
        let name = "new.name+\(UInt32.random(in: 0 ... .max))@here"
        let values = [
            ("username", name), ("first_name", " Ada "), ("last_name", "ラブレス"), ("email", "other@example.com"), ("pk", "1"),
        ]
        let response = try await django.send("PUT", "/user/", values, as: encoding, [("Authorization", "Token \(key)")])
        #expect(response.status == 200)
        let expected: JSONValue = [
            "pk": before["pk"] ?? .null, "username": .string(name), "email": .string(email), "first_name": "Ada",
            "last_name": "ラブレス",
        ]
        #expect(response.json == expected)
        let patched = try await django.send(
            "PATCH", "/user/", [("last_name", "")], as: encoding, [("Authorization", "Token \(key)")])
        #expect(patched.json["last_name"] == "")
        #expect(patched.json["first_name"] == "Ada")
        #expect(patched.json["username"] == .string(name))
    }

    @Test func `what is wrong with a change is told by field`() async throws {
        let (key, other) = (try await django.signedIn().key, try await django.signedIn().key)
        let taken = try #require(try await django.user(other).json["username"]?.stringValue)
        let long = String(repeating: "x", count: 151)
        let tooLong = "Ensure this field has no more than 150 characters."
        let invalid =
            "Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters."
        let cases: [(String, JSONValue)] = [
            ("{}", ["username": ["This field is required."]]),
            (#"{"username":""}"#, ["username": ["This field may not be blank."]]),
            (#"{"username":"a b"}"#, ["username": [.string(invalid)]]),
            (#"{"username":"a\u0000b"}"#, ["username": [.string(invalid), "Null characters are not allowed."]]),
            (#"{"username":"\#(taken)"}"#, ["username": ["A user with that username already exists."]]),
            (#"{"username":"\#(taken.uppercased())"}"#, ["username": ["A user with that username already exists."]]),
            (
                #"{"username":"\#(long)","first_name":"\#(long)","last_name":"\#(long)"}"#,
                ["username": [.string(tooLong)], "first_name": [.string(tooLong)], "last_name": [.string(tooLong)]]
            ),
        ]
        for (body, answer) in cases {
            let response = try await django.json("PUT", "/user/", body, [("Authorization", "Token \(key)")])
            #expect(response.status == 400)
            #expect(response.json == answer, "\(body)")
        }
        let own = try #require(try await django.user(key).json["username"]?.stringValue)
        let same = try await django.json("PUT", "/user/", #"{"username":"\#(own)"}"#, [("Authorization", "Token \(key)")])
        #expect(same.status == 200)
    }

    @Test(arguments: DjangoClient.Encoding.allCases)
    func `an empty username is no missing one`(_ encoding: DjangoClient.Encoding) async throws {
        let key = try await django.signedIn().key
        let response = try await django.send(
            "PATCH", "/user/", [("username", "")], as: encoding, [("Authorization", "Token \(key)")])
        #expect(response.status == 400)
        #expect(response.json == ["username": ["This field may not be blank."]])
    }

    @Test func `no other method is there`() async throws {
        for method in ["DELETE", "POST"] {
            let response = try await django.server.send(method, "/rest-auth/user/")
            #expect(response.status == 405)
            #expect(response.text == #"{"detail":"Method \"\#(method)\" not allowed."}"#)
        }
    }

    @Test func `users who begin alike get names in turn, and all get numbers`() async throws {
        let name = "alike\(UInt32.random(in: 0 ... .max))"
        var names: [String] = []
        var numbers: Set<Int64> = []
        for domain in ["a", "b", "c"] {
            let response = try await django.register("\(name)@\(domain).example").response
            let user = try await django.user(try #require(response.key)).json
            names.append(user["username"]?.stringValue ?? "")
            numbers.insert(user["pk"]?.integerValue ?? 0)
        }
        #expect(names == [name, "\(name)2", "\(name)3"])
        #expect(numbers.count == 3)
    }

    @Test func `who signed up at another API is a user here too`() async throws {
        let account = try await django.server.signUp()
        let response = try await django.logIn(account.email, Account.password)
        #expect(try await django.user(try #require(response.key)).json["email"] == .string(account.email))
    }
}
