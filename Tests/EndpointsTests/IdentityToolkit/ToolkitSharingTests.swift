import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// The users and sessions of the API are those of all others.
@Suite(.needsServers, .timeLimit(.minutes(5)))
struct ToolkitSharingTests {
    private static func configure(_ configuration: inout Configuration) {
        ToolkitClient.configure(&configuration)
        // So that nothing but the client tells the project's tokens from those of the app.
        configuration.explicitAudience = ToolkitClient.project
    }

    @Test func `an id token is introspected until its session ends, whoever ends it`() async throws {
        try await Installation(Self.configure).run { installation in
            let server = try installation.server
            let backend = try await installation.addClient("backend", "--introspect", "--audience", ToolkitClient.project)
            let client = ToolkitClient(http: server)
            let user = try await client.signUp()
            let seen = try await server.introspect(user.idToken, backend)
            #expect(seen.json["active"] == true && seen.json["sub"] == .string(user.localID), "\(seen.text)")
            let account = try Account(
                await server.post("/auth/login", ["email": .string(user.email), "password": .string(Account.password)]))
            let list = try await server.get("/auth/sessions", bearer: account.accessToken).json["sessions"]?.arrayValue ?? []
            let other = try #require(list.first { $0["current"] != true }?["id"]?.stringValue)
            #expect(try await server.delete("/auth/sessions/\(other)", bearer: account.accessToken).status == 204)
            #expect(try await server.introspect(user.idToken, backend).json["active"] == false)
            #expect(try await client.refresh(user.refreshToken).failure == "TOKEN_EXPIRED")
            // The app's own endpoints are not opened by it.
            let again = try ToolkitClient.SignedIn(
                await client.call(
                    "signInWithPassword", ["email": .string(user.email), "password": .string(Account.password)]))
            #expect(try await server.get("/auth/me", bearer: again.idToken).status == 401)
            #expect(try await client.call("lookup", ["idToken": .string(account.accessToken)]).failure == "INVALID_ID_TOKEN")
            let form = [("grant_type", "refresh_token"), ("client_id", "firebase"), ("refresh_token", again.refreshToken)]
            #expect(try await server.form("/oauth2/token", form).json["error"] == "unauthorized_client")
        }
    }

    @Test func `who has signed up elsewhere signs in here, and is deleted for all`() async throws {
        try await Installation(Self.configure).run { installation in
            let server = try installation.server
            let (client, account) = (ToolkitClient(http: server), try await server.signUp())
            let user = try ToolkitClient.SignedIn(
                await client.call(
                    "signInWithPassword", ["email": .string(account.email), "password": .string(Account.password)]))
            #expect(user.localID == account.id)
            #expect(try await client.call("delete", ["idToken": .string(user.idToken)]).status == 200)
            let me = try await server.get("/auth/me", bearer: account.accessToken)
            #expect(me.status == 404 && me.json["error"] == "User not found", "\(me.text)")
            #expect(try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 401)
        }
    }

    @Test func `what ends all other sessions at any API voids their tokens, and the address they asked for`() async throws {
        try await Installation(Self.configure).run { installation in
            let server = try installation.server
            let (client, django) = (ToolkitClient(http: server), DjangoClient(server: server))
            let (password, address) = ("another horse battery", Account.newEmail())
            func signIn(_ email: String) async throws -> ToolkitClient.SignedIn {
                try ToolkitClient.SignedIn(
                    await client.call("signInWithPassword", ["email": .string(email), "password": .string(password)]))
            }
            func expectVoid(_ before: ToolkitClient.SignedIn, for user: ToolkitClient.SignedIn) async throws {
                let found = try await client.call("lookup", ["idToken": .string(user.idToken)]).json["users"]?.arrayValue?.first
                let since = try #require(found?["validSince"]?.stringValue.flatMap { Int64($0) })
                #expect(try #require(before.claims?["auth_time"]?.integerValue) < since)
                #expect(try await client.call("lookup", ["idToken": .string(before.idToken)]).failure == "TOKEN_EXPIRED")
            }
            func code(of user: ToolkitClient.SignedIn) async throws -> JSONValue {
                let sent = try await client.call(
                    "sendOobCode",
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(user.idToken),
                        "newEmail": .string(address),
                    ])
                #expect(sent.status == 200, "\(sent.text)")
                let link = try #require(try installation.mails(to: address).last { $0.kind == "address_confirmation" }).link
                let start = try #require(link.firstRange(of: "oobCode=")).upperBound
                return .string(String(link[start...].prefix { $0 != "&" }))
            }

            let first = try await client.signUp()
            try installation.change(first.email, "email_verified = true")
            installation.clock.advance(by: .seconds(10))
            let key = try #require(try await django.logIn(first.email, Account.password).key)
            let change = [("old_password", Account.password), ("new_password1", password), ("new_password2", password)]
            #expect(try await django.send("/password/change/", change, [("Authorization", "Token \(key)")]).status == 200)
            #expect(try await django.user(key).status == 200)
            let second = try await signIn(first.email)
            try await expectVoid(first, for: second)

            let wanted = try await code(of: second)
            let login: JSONValue = ["email": .string(first.email), "password": .string(password)]
            let account = try Account(await server.post("/auth/login", login))
            #expect(try await server.delete("/auth/sessions?keep=current", bearer: account.accessToken).status == 204)
            #expect(try await client.call("update", ["oobCode": wanted]).failure == "INVALID_OOB_CODE")

            let third = try await signIn(first.email)
            installation.clock.advance(by: .seconds(10))
            let changed = try await client.call("update", ["oobCode": try await code(of: third)])
            #expect(changed.json["newEmail"] == .string(address), "\(changed.text)")
            // As at Firebase, who has asked signs in again.
            try await expectVoid(third, for: try await signIn(address))
        }
    }

    @Test func `an old session changes no way in, and an anonymous one may name itself`() async throws {
        try await Installation(Self.configure).run { installation in
            let client = ToolkitClient(http: try installation.server)
            let user = try await client.signUp()
            let anonymous = try ToolkitClient.SignedIn(await client.call("signUp", ["returnSecureToken": true]))
            installation.clock.advance(by: .seconds(1800))
            let token = JSONValue.string(user.idToken)
            for (method, body) in [
                ("update", ["idToken": token, "password": "another password"]), ("delete", ["idToken": token]),
                ("signUp", ["idToken": token, "email": .string(user.email), "password": "another password"]),
            ] as [(String, JSONValue)] {
                #expect(try await client.call(method, body).failure == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            }
            #expect(try await client.call("update", ["idToken": token, "displayName": "Still mine"]).status == 200)
            let named = try await client.call(
                "signUp",
                [
                    "idToken": .string(anonymous.idToken), "email": .string(Account.newEmail()),
                    "password": .string(Account.password),
                ])
            #expect(named.status == 200, "\(named.text)")
        }
    }

    @Test func `guesses of the code of a link count, also for who is signed in`() async throws {
        let installation = try Installation { configuration in
            Self.configure(&configuration)
            configuration.limits[.codeAddress] = Budget(4, per: .seconds(3600))
        }
        try await installation.run { installation in
            let client = ToolkitClient(http: try installation.server)
            let user = try await client.signUp()
            var answers: [TestHTTPResponse] = []
            for number in 0..<10 where answers.last?.failure?.hasPrefix("TOO_MANY") != true {
                let code = Base64URL.encode([UInt8](repeating: UInt8(number), count: 32))
                answers.append(
                    try await client.call(
                        "signInWithEmailLink",
                        [
                            "idToken": .string(user.idToken), "email": .string(Account.newEmail()), "oobCode": .string(code),
                        ]))
            }
            #expect(answers.count == 5 && answers.first?.failure == "INVALID_OOB_CODE", "\(answers.map(\.text))")
            #expect(answers.last?.failure?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true)
        }
    }

    @Test func `guesses of a password count at every API together`() async throws {
        let installation = try Installation { configuration in
            Self.configure(&configuration)
            configuration.limits[.signInAccountAddress] = Budget(4, per: .seconds(3600))
        }
        try await installation.run { installation in
            let server = try installation.server
            let (client, account) = (ToolkitClient(http: server), try await server.signUp())
            var answers: [TestHTTPResponse] = []
            for _ in 0..<10 where answers.last?.failure?.hasPrefix("TOO_MANY") != true {
                answers.append(
                    try await client.call(
                        "signInWithPassword", ["email": .string(account.email), "password": "not the password"]))
            }
            #expect(answers.count == 5)
            let last = try #require(answers.last)
            #expect(last.status == 400 && last.failure == "TOO_MANY_ATTEMPTS_TRY_LATER : Try again later.")
            let login = try await server.post(
                "/auth/login", ["email": .string(account.email), "password": "not the password"])
            #expect(login.status == 429)
        }
    }

    @Test func `who asks by a change whether somebody has an address is counted`() async throws {
        let installation = try Installation { configuration in
            Self.configure(&configuration)
            configuration.limits[.signUpAddress] = Budget(4, per: .seconds(3600))
        }
        try await installation.run { installation in
            let (server, client) = (try installation.server, ToolkitClient(http: try installation.server))
            let account = try await server.signUp()
            let nobody = try await client.call("signUp", ["returnSecureToken": true])
            let token = try #require(nobody.json["idToken"]?.stringValue)
            var answers: [String] = []
            for _ in 0..<8 where answers.last?.hasPrefix("TOO_MANY") != true {
                let change: JSONValue = ["idToken": .string(token), "email": .string(account.email), "password": "short"]
                answers.append(try await client.call("update", change).failure ?? "")
            }
            #expect(answers.dropLast().allSatisfy { $0 == "EMAIL_EXISTS" }, "\(answers)")
            #expect(answers.last?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true, "\(answers)")
        }
    }

    @Test func `sign-ups with a password that is refused leave the address its own`() async throws {
        let installation = try Installation { configuration in
            Self.configure(&configuration)
            configuration.limits[.signUpAccount] = Budget(2, per: .seconds(3600))
        }
        try await installation.run { installation in
            let server = try installation.server
            let (client, django, email) = (ToolkitClient(http: server), DjangoClient(server: server), Account.newEmail())
            for _ in 0..<3 {
                let weak = try await client.call("signUp", ["email": .string(email), "password": "short"])
                #expect(weak.failure?.hasPrefix("WEAK_PASSWORD") == true, "\(weak.text)")
                let different = [("email", email), ("password1", Account.password), ("password2", "another")]
                #expect(try await django.send("/registration/", different).status == 400)
            }
            let good: JSONValue = ["email": .string(email), "password": .string(Account.password)]
            #expect(try await client.call("signUp", good).status == 200)
        }
    }

    @Test(.enabled(if: TestRedis.isAvailable)) func `without Redis it says so, and nobody is made`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url, Self.configure).run { installation in
            let client = ToolkitClient(http: try installation.server)
            let user = try await client.signUp()
            redis.stop()
            let email = JSONValue.string(Account.newEmail())
            for (method, body) in [
                ("signUp", ["email": email, "password": .string(Account.password)]), ("signUp", ["returnSecureToken": true]),
                ("signInWithPassword", ["email": .string(user.email), "password": .string(Account.password)]),
                ("lookup", ["idToken": .string(user.idToken)]), ("delete", ["idToken": .string(user.idToken)]),
                ("resetPassword", ["oobCode": .string(String(repeating: "A", count: 43))]),
            ] as [(String, JSONValue)] {
                let answer = try await client.call(method, body)
                #expect(answer.status == 503 && answer.value("Retry-After") != nil, "\(method): \(answer.text)")
                #expect(answer.json["error"]?["status"] == "UNAVAILABLE")
            }
            #expect(try await client.refresh(user.refreshToken).status == 503)
            try redis.start()
            try await eventually {
                try await client.call("signUp", ["email": email, "password": .string(Account.password)]).status == 200
            }
        }
    }
}
