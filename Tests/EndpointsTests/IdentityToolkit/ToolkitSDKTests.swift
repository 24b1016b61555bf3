import Endpoints
import Server
import TestSupport
import Testing
import Text

/// What the SDKs' own tests, and those of Google's emulator, want of an emulator.
@Suite(.needsServers, .installation { ToolkitSDKTestsConfiguration.apply(&$0) })
struct ToolkitSDKTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: ToolkitClient { get throws { try ToolkitClient(http: server) } }

    private func body(_ provider: String, _ token: String, idToken: String? = nil, returnsCredential: Bool = false) -> JSONValue {
        var body = JSONObject()
        body["postBody"] = .string("id_token=\(token)&providerId=\(provider).com")
        body["requestUri"] = "http://localhost"
        body["returnSecureToken"] = true
        body["returnIdpCredential"] = .bool(returnsCredential)
        if let idToken { body["idToken"] = .string(idToken) }
        return .object(body)
    }

    private func signIn(
        _ provider: String, _ token: String, idToken: String? = nil, returnsCredential: Bool = false
    ) async throws -> TestHTTPResponse {
        try await client.call(
            "signInWithIdp", body(provider, token, idToken: idToken, returnsCredential: returnsCredential))
    }

    private func lookUp(_ token: String) async throws -> JSONValue? {
        try await client.call("lookup", ["idToken": .string(token)]).json["users"]?.arrayValue?.first
    }

    private func codes() async throws -> [JSONValue] {
        try await server.get("/emulator/v1/projects/demo-kidoban/oobCodes").json["oobCodes"]?.arrayValue ?? []
    }

    @Test func `an empty address is none, and makes nobody anonymous`() async throws {
        let client = try client
        #expect(try await client.call("signUp", ["email": "", "password": ""]).failure == "INVALID_EMAIL")
        #expect(try await client.call("signUp", ["email": "", "password": "secret"]).failure == "MISSING_EMAIL")
        #expect(try await client.call("signInWithPassword", ["email": "", "password": "secret"]).failure == "INVALID_EMAIL")
        #expect(try await client.call("signInWithPassword", ["password": "secret"]).failure == "MISSING_EMAIL")
        let user = try await client.signUp()
        let long = JSONValue.string(String(repeating: "x", count: 5000))
        let wrong = try await client.call("signInWithPassword", ["email": .string(user.email), "password": long])
        #expect(wrong.failure == "INVALID_PASSWORD", "\(wrong.text)")
    }

    @Test func `of ten new passwords at once none is answered as a wrong one`() async throws {
        let client = try client
        let user = try await client.signUp()
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for index in 0..<10 {
                group.addTask {
                    try await client.call(
                        "update", ["idToken": .string(user.idToken), "password": .string("horse number \(index)")])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.contains { $0.status == 200 })
        let failures = Set(answers.filter { $0.status == 400 }.map { $0.failure ?? "" })
        #expect(failures.isSubset(of: ["TOKEN_EXPIRED"]), "\(failures)")
    }

    @Test func `credentials of another scheme are not for this server`() async throws {
        let fields: [(name: String, value: String)] = [
            ("Content-Type", "application/json"), ("Authorization", "Basic dXNlcjpwYXNz"),
        ]
        let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp"
        #expect(try await server.send("POST", path, fields, body: "{}").status == 403)
        #expect(try await server.send("POST", "\(path)?key=\(ToolkitClient.key)", fields, body: "{}").status == 200)
        let admin = "/identitytoolkit.googleapis.com/v1/projects/demo-kidoban/accounts"
        #expect(try await server.send("POST", admin, fields, body: "{}").status == 403)
        #expect(try await server.send("GET", "\(admin):batchGet", fields).status == 401)
    }

    @Test func `a picture is wherever a test says`() async throws {
        let user = try await client.signUp()
        let changed = try await client.call(
            "update", ["idToken": .string(user.idToken), "photoUrl": "http://photo.test/david.png"])
        #expect(changed.json["photoUrl"] == "http://photo.test/david.png", "\(changed.text)")
        #expect(try await lookUp(user.idToken)?["photoUrl"] == "http://photo.test/david.png")
    }

    @Test func `an id token is no custom token`() async throws {
        let user = try await client.signUp()
        let answer = try await client.call("signInWithCustomToken", ["token": .string(user.idToken)])
        #expect(answer.failure?.hasPrefix("INVALID_CUSTOM_TOKEN : ") == true, "\(answer.text)")
    }

    @Test func `a refresh of who is disabled says so, and names the project's number`() async throws {
        let user = try await client.signUp()
        let refreshed = try await client.refresh(user.refreshToken)
        #expect(refreshed.json["project_id"] == "12345")
        _ = try await client.admin("update", ["localId": .string(user.localID), "disableUser": true])
        let token = try #require(refreshed.json["refresh_token"]?.stringValue)
        #expect(try await client.refresh(token).failure == "USER_DISABLED")
    }

    @Test func `a code that is used up is listed no more, and a new address is named`() async throws {
        let (client, other) = (try client, Account.newEmail())
        let user = try await client.signUp()
        _ = try await client.call(
            "sendOobCode",
            ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(user.idToken), "newEmail": .string(other)])
        let code = try #require(try await codes().first { $0["newEmail"] == .string(other) }?["oobCode"])
        let changed = try await client.call("update", ["oobCode": code])
        #expect(changed.json["email"] == .string(other) && changed.json["newEmail"] == .string(other), "\(changed.text)")
        #expect(try await !codes().contains { $0["oobCode"] == code })
    }

    @Test func `the session of a question for ways to sign in is kept`() async throws {
        let answer = try await client.call(
            "createAuthUri", ["identifier": "a@example.com", "continueUri": "http://localhost", "sessionId": "mine"])
        #expect(answer.json["sessionId"] == "mine")
    }

    @Test func `whom a provider knows without an address gets an account without`() async throws {
        let person = Person(at: "example.com")
        let none: KeyValuePairs<String, JSONValue> = ["email": .null, "email_verified": .null, "is_private_email": .null]
        let answer = try await signIn("apple", TestProvider.apple(person, none))
        let user = try ToolkitClient.SignedIn(answer)
        #expect(answer.json["isNewUser"] == true && answer.json["email"] == nil)
        #expect(user.claims?["firebase"]?["sign_in_provider"] == "apple.com" && user.claims?["email"] == nil)
        let again = try await signIn("apple", TestProvider.apple(person, none))
        #expect(again.json["localId"] == .string(user.localID) && again.json["isNewUser"] == nil, "\(again.text)")
    }

    @Test func `a page signs in without a nonce, as the JavaScript SDK does`() async throws {
        let token = try TestProvider.google(Person())
        let answer = try await server.send(
            "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=\(ToolkitClient.key)",
            [("Content-Type", "application/json"), ("Origin", "http://localhost:5000"), ("Sec-Fetch-Mode", "cors")],
            body: String(decoding: body("google", token).serialized, as: UTF8.self))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func `of two who take the two ways in away at once one is refused`() async throws {
        // Whoever has an address comes in by its mailbox.
        let (client, person) = (try client, Person())
        let user = try ToolkitClient.SignedIn(await signIn("apple", TestProvider.apple(person, ["email": .null])))
        let linked = try ToolkitClient.SignedIn(
            await signIn("google", TestProvider.google(person, ["email": .null]), idToken: user.idToken))
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for provider in ["google.com", "apple.com"] {
                group.addTask {
                    try await client.call(
                        "update", ["idToken": .string(linked.idToken), "deleteProvider": [.string(provider)]])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.contains { $0.failure?.hasPrefix("OPERATION_NOT_ALLOWED") == true })
    }

    @Test func `an app takes its password away as an attribute too, and its address not`() async throws {
        let client = try client
        let user = try await client.signUp()
        let linked = try ToolkitClient.SignedIn(
            await signIn("google", TestProvider.google(Person()), idToken: user.idToken))
        let address = try await client.call("update", ["idToken": .string(linked.idToken), "deleteAttribute": ["EMAIL"]])
        #expect(address.failure == "OPERATION_NOT_ALLOWED")
        let password = try await client.call("update", ["idToken": .string(linked.idToken), "deleteAttribute": ["PASSWORD"]])
        #expect(password.status == 200 && password.json["passwordHash"] == nil, "\(password.text)")
    }

    @Test func `an old session does not take the password away`() async throws {
        try await Installation { configuration in
            ToolkitClient.configure(&configuration)
            TestProvider.configure(&configuration)
        }.run { installation in
            let client = ToolkitClient(http: try installation.server)
            let user = try await client.signUp()
            let linked = try ToolkitClient.SignedIn(
                await client.call("signInWithIdp", body("google", TestProvider.google(Person()), idToken: user.idToken)))
            installation.clock.advance(by: .seconds(1800))
            let token = JSONValue.string(linked.idToken)
            for change in [
                ["idToken": token, "deleteProvider": ["password"]], ["idToken": token, "deleteAttribute": ["PASSWORD"]],
            ] as [JSONValue] {
                #expect(try await client.call("update", change).failure == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            }
        }
    }

    @Test func `who signs in while the identity is unlinked is signed in to one account or another`() async throws {
        let (client, person) = (try client, Person())
        let user = try await client.signUp()
        let linked = try ToolkitClient.SignedIn(
            await signIn("google", TestProvider.google(person), idToken: user.idToken))
        let bodies = try (0..<6).map { _ in body("google", try TestProvider.google(person)) }
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            group.addTask {
                try await client.call("update", ["idToken": .string(linked.idToken), "deleteProvider": ["google.com"]])
            }
            for body in bodies { group.addTask { try await client.call("signInWithIdp", body) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
    }

    @Test func `a batch says what is wrong with each user as the emulator does`() async throws {
        let user = try await client.signUp()
        let answer = try await client.admin(
            "batchCreate",
            [
                "users": [
                    ["localId": "a-1", "email": "nobody"], ["localId": "a-2", "phoneNumber": "555"],
                    ["localId": "a-3", "email": .string(user.email)], ["localId": "a-4", "customAttributes": "nonsense"],
                    ["localId": "a-5", "providerUserInfo": [["rawId": "1"]]],
                ]
            ])
        let messages = answer.json["error"]?.arrayValue?.map { $0["message"]?.stringValue ?? "" }
        #expect(
            messages == [
                "email is invalid", "phone number format is invalid", "email exists in other account in database",
                "Invalid custom claims provided.", "federatedId or (providerId & rawId) is required",
            ])
    }

    @Test func `what is no user keeps its place among the errors of a batch`() async throws {
        let users: JSONValue = ["nobody", ["localId": "b-2", "email": "nobody"], 7, ["localId": "b-4", "phoneNumber": "555"]]
        let answer = try await client.admin("batchCreate", ["users": users])
        let errors = try #require(answer.json["error"]?.arrayValue, "\(answer.text)")
        #expect(errors.map { $0["index"]?.integerValue } == [0, 1, 2, 3])
        #expect(errors[1]["message"] == "email is invalid" && errors[0]["message"] == "The user is no object.")
    }

    @Test func `an app ends the sessions of its user by a time, which is now whatever it says`() async throws {
        let client = try client
        let user = try await client.signUp()
        let other = try ToolkitClient.SignedIn(
            await client.call("signInWithPassword", ["email": .string(user.email), "password": .string(Account.password)]))
        let ended = try await client.call("update", ["idToken": .string(user.idToken), "validSince": "250000000000"])
        let next = try ToolkitClient.SignedIn(ended)
        for token in [user.idToken, other.idToken] {
            #expect(try await client.call("lookup", ["idToken": .string(token)]).failure == "TOKEN_EXPIRED")
        }
        let since = try await lookUp(next.idToken)?["validSince"]?.stringValue.flatMap { Int64($0) }
        let startedAt = try #require(next.claims?["auth_time"]?.integerValue)
        #expect(try #require(since) <= startedAt)
    }

    @Test func `a link proves the same address, and is refused for another's or a second time`() async throws {
        let client = try client
        var person = Person(at: "example.com")
        let user = try await client.signUp()
        let holder = try await client.signUp()
        person.email = holder.email
        let taken = try await signIn("google", TestProvider.google(person), idToken: user.idToken)
        #expect(taken.failure == "EMAIL_EXISTS", "\(taken.text)")
        person.email = user.email
        let linked = try ToolkitClient.SignedIn(
            await signIn("google", TestProvider.google(person), idToken: user.idToken))
        #expect(linked.localID == user.localID && linked.claims?["email_verified"] == true)
        let twice = try await signIn(
            "google", TestProvider.google(person), idToken: linked.idToken, returnsCredential: true)
        #expect(twice.json["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED" && twice.json["localId"] == nil, "\(twice.text)")
        _ = try await client.admin("update", ["localId": .string(user.localID), "disableUser": true])
        let disabled = try await signIn(
            "google", TestProvider.google(Person()), idToken: linked.idToken, returnsCredential: true)
        #expect(disabled.status == 400 && disabled.failure == "USER_DISABLED", "\(disabled.text)")
    }
}

private enum ToolkitSDKTestsConfiguration {
    static func apply(_ configuration: inout Configuration) {
        ToolkitClient.emulate(&configuration)
        TestProvider.configure(&configuration)
    }
}
