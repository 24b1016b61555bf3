import Endpoints
import Server
import TestSupport
import Testing
import Text

/// What the tests of the emulator itself want of it.
@Suite(.needsServers, .installation(ToolkitClient.emulate))
struct ToolkitReplayTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: ToolkitClient { get throws { try ToolkitClient(http: server) } }

    private func codes(_ type: String, of email: String) async throws -> [JSONValue] {
        let shown = try await server.get("/emulator/v1/projects/demo-kidoban/oobCodes").json["oobCodes"]?.arrayValue ?? []
        return shown.filter { $0["requestType"] == .string(type) && $0["email"] == .string(email) }
    }

    private func lookUp(_ idToken: String) async throws -> JSONValue? {
        try await client.call("lookup", ["idToken": .string(idToken)]).json["users"]?.arrayValue?.first
    }

    private func methods(of email: String) async throws -> JSONValue {
        try await client.call("createAuthUri", ["identifier": .string(email), "continueUri": "http://localhost"]).json
    }

    private func customToken(_ id: JSONValue, _ claims: JSONValue = [:]) -> JSONValue {
        .string(
            String(
                decoding: JSONValue.object(JSONObject([.init(key: "uid", value: id), .init(key: "claims", value: claims)]))
                    .serialized, as: UTF8.self))
    }

    @Test func `the old address gets a code that takes it back, once`() async throws {
        let client = try client
        let (user, new) = (try await client.signUp(), Account.newEmail())
        let answer = try await client.call("update", ["idToken": .string(user.idToken), "email": .string(new)])
        let changed = try ToolkitClient.SignedIn(answer)
        #expect(answer.json["newEmail"] == .string(new))
        #expect(try await lookUp(changed.idToken)?["initialEmail"] == .string(user.email))
        let shown = try await codes("RECOVER_EMAIL", of: user.email)
        try #require(shown.count == 1)
        let code = try #require(shown[0]["oobCode"])
        #expect(shown[0]["oobLink"]?.stringValue?.contains("mode=recoverEmail") == true)
        let looked = try await client.call("resetPassword", ["oobCode": code])
        #expect(looked.json["requestType"] == "RECOVER_EMAIL" && looked.json["email"] == .string(user.email))
        let back = try await client.call("update", ["oobCode": code])
        #expect(back.json["email"] == .string(user.email) && back.json["emailVerified"] == true, "\(back.text)")
        #expect(back.json["newEmail"] == nil && back.json["idToken"] == nil)
        #expect(try await codes("RECOVER_EMAIL", of: user.email).isEmpty)
        #expect(try await client.call("update", ["oobCode": code]).failure == "INVALID_OOB_CODE")
        #expect(try await client.call("lookup", ["idToken": .string(changed.idToken)]).failure == "TOKEN_EXPIRED")
    }

    @Test func `who was anonymous stays so until there is a way in, and has no address to take back`() async throws {
        let client = try client
        let anonymous = try ToolkitClient.SignedIn(await client.call("signUp", ["returnSecureToken": true]))
        let email = Account.newEmail()
        let named = try ToolkitClient.SignedIn(
            await client.call("update", ["idToken": .string(anonymous.idToken), "email": .string(email)]))
        #expect(named.claims?["firebase"]?["sign_in_provider"] == "anonymous")
        #expect(try await codes("RECOVER_EMAIL", of: email).isEmpty)
        #expect(try await lookUp(named.idToken)?["initialEmail"] == nil)
        let other = Account.newEmail()
        let again = try await client.call(
            "signUp", ["idToken": .string(named.idToken), "email": .string(other), "password": "secret"])
        #expect(again.json["email"] == .string(other) && again.json["localId"] == .string(anonymous.localID), "\(again.text)")
    }

    @Test func `ways to sign in are told, that by a link among them, and nothing of who is nobody`() async throws {
        let client = try client
        let user = try await client.signUp()
        #expect(try await methods(of: user.email)["signinMethods"] == ["password"])
        _ = try await client.admin("update", ["localId": .string(user.localID), "emailVerified": true])
        let link = try await client.admin(
            "sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(user.email), "returnOobLink": true])
        let signedIn = try ToolkitClient.SignedIn(
            await client.call(
                "signInWithEmailLink", ["email": .string(user.email), "oobCode": try #require(link.json["oobCode"])]))
        let told = try await methods(of: user.email)
        #expect(told["signinMethods"] == ["password", "emailLink"] && told["allProviders"] == ["password"])
        #expect(try await lookUp(signedIn.idToken)?["emailLinkSignin"] == true)
        // The mailbox stays a way in, so that the last password may go.
        let unlinked = try await client.call("update", ["idToken": .string(signedIn.idToken), "deleteProvider": ["password"]])
        #expect(unlinked.json["providerUserInfo"] == [] && unlinked.json["passwordHash"] == nil, "\(unlinked.text)")
        #expect(try await methods(of: user.email)["signinMethods"] == [])
        let nobody = try await methods(of: Account.newEmail())
        #expect(nobody["registered"] == false && nobody["signinMethods"] == [] && nobody["allProviders"] == [])
    }

    @Test func `what a custom token says goes before what is said of the user, and lasts`() async throws {
        let client = try client
        let id = JSONValue.integer(Int64.random(in: 1_000_000_000...9_000_000_000))
        let first = try ToolkitClient.SignedIn(await client.call("signInWithCustomToken", ["token": customToken(id)]))
        let localID = try #require(first.claims?["sub"])
        #expect(localID == .string(String(id.integerValue ?? 0)))
        func change(_ claims: String) async throws {
            let answer = try await client.admin("update", ["localId": localID, "customAttributes": .string(claims)])
            try #require(answer.status == 200, "\(answer.text)")
        }
        try await change(#"{"abc":"user","foo":"bar"}"#)
        let user = try ToolkitClient.SignedIn(
            await client.call("signInWithCustomToken", ["token": customToken(id, ["abc": "token", "level": 1])]))
        #expect(user.claims?["abc"] == "token" && user.claims?["foo"] == "bar" && user.claims?["level"] == 1)
        try await change(#"{"abc":"later"}"#)
        let refreshed = try await client.refresh(user.refreshToken).json["id_token"]?.stringValue ?? ""
        let claims = try JSON.parse(#require(refreshed.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode($0) }))
        #expect(claims["abc"] == "token" && claims["level"] == 1 && claims["foo"] == nil)
        #expect(try await lookUp(refreshed)?["customAuth"] == true)
        #expect(try await client.call("signInWithCustomToken", ["token": customToken("x", "y")]).failure == "INVALID_CLAIMS")
    }

    @Test func `errors come in the service's order`() async throws {
        let client = try client
        let user = try await client.signUp()
        let token = JSONValue.string(user.idToken)
        let taken = JSONValue.string(user.email)
        #expect(try await client.call("signUp", ["email": taken, "password": "short"]).failure == "EMAIL_EXISTS")
        #expect(
            try await client.call("signUp", ["email": .string(Account.newEmail()), "password": "short"]).failure
                == "WEAK_PASSWORD : Password should be at least 6 characters")
        #expect(
            try await client.admin("", ["localId": .string(user.localID), "phoneNumber": "1"]).failure == "DUPLICATE_LOCAL_ID")
        #expect(
            try await client.admin("", ["phoneNumber": "1", "email": "x"]).failure == "INVALID_PHONE_NUMBER : Invalid format.")
        #expect(try await client.admin("", ["email": taken, "password": "short"]).failure == "EMAIL_EXISTS")
        #expect(try await client.admin("delete", ["idToken": token]).failure == "MISSING_LOCAL_ID")
        #expect(try await client.admin("update", ["idToken": token, "displayName": "x"]).failure == "MISSING_LOCAL_ID")
        #expect(try await client.call("update", ["idToken": "x", "customAttributes": "{}"]).failure == "INSUFFICIENT_PERMISSION")
        let change: JSONValue = ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "n@example.com", "email": taken]
        #expect(try await client.admin("sendOobCode", change).failure == "MISSING_ID_TOKEN")
        for body: JSONValue in [["localId": .string(user.localID), "mfa": ["enrollments": [["phoneInfo": "+15555550100"]]]]] {
            #expect(try await client.admin("update", body).failure == "OPERATION_NOT_ALLOWED : Second factors are not offered.")
        }
        #expect(try await client.call("update", ["idToken": token, "validSince": "0"]).json["refreshToken"] != nil)
        #expect(try await client.call("lookup", ["idToken": token]).failure == "TOKEN_EXPIRED")
    }

    @Test func `a time to come until which tokens are void is taken back`() async throws {
        let client = try client
        let user = try await client.signUp()
        let now = user.claims?["iat"]?.integerValue ?? 0
        for (since, seen) in [(now + 5000, now + 5000), (now, now)] {
            let answer = try await client.admin(
                "update",
                [
                    "localId": .string(user.localID), "validSince": .integer(since), "createdAt": "1600000000000",
                    "lastLoginAt": "1600000001000",
                ])
            #expect(answer.status == 200, "\(answer.text)")
            let found = try await client.admin("lookup", ["localId": [.string(user.localID)]]).json["users"]?.arrayValue?.first
            #expect((seen...seen + 60).contains(found?["validSince"]?.stringValue.flatMap { Int64($0) } ?? 0), "\(since)")
            #expect(found?["createdAt"] == "1600000000000" && found?["lastLoginAt"] == "1600000001000")
        }
    }

    @Test func `an import names what is twice in it, and takes the emulator's hashes`() async throws {
        let client = try client
        let (id, email) = ("import-\(Account.newEmail().prefix(14))", Account.newEmail())
        let user: JSONValue = [
            "localId": .string(id), "email": .string(email), "passwordHash": "fakeHash:salt=s:password=hawaii",
        ]
        let identity: JSONValue = ["localId": "a", "providerUserInfo": [["providerId": "google.com", "rawId": "1"]]]
        let other: JSONValue = ["localId": "b", "providerUserInfo": [["providerId": "google.com", "rawId": "1"]]]
        for (body, failure) in [
            (["users": [user, user]], "DUPLICATE_LOCAL_ID : \(id)"),
            (["users": [user, user], "sanityCheck": true], "DUPLICATE_EMAIL : \(email)"),
            (["users": [identity, other], "sanityCheck": true], "DUPLICATE_RAW_ID : Provider id(google.com), Raw id(1)"),
        ] as [(JSONValue, String)] {
            #expect(try await client.admin("batchCreate", body).failure == failure)
        }
        let forbidden: JSONValue = ["localId": "c", "customAttributes": #"{"sub":"x"}"#]
        let told = try await client.admin("batchCreate", ["users": [user, forbidden]]).json["error"]
        #expect(told == [["index": 1, "message": "Custom claims provided include a reserved claim."]])
        _ = try ToolkitClient.SignedIn(
            await client.call("signInWithPassword", ["email": .string(email), "password": "hawaii"]))
    }

    @Test func `users are listed in the order of the ids that tests give`() async throws {
        let client = try client
        let run = Account.newEmail().prefix(14)
        let ids = ["list-\(run)-b", "list-\(run)-C", "list-\(run)-a"]
        for id in ids { _ = try await client.admin("", ["localId": .string(id)]) }
        var (seen, token) = ([String](), "list-\(run)")
        for _ in 0..<3 {
            let page = try await server.get(
                "/identitytoolkit.googleapis.com/v1/projects/demo-kidoban/accounts:batchGet?maxResults=1&nextPageToken=\(token)",
                bearer: "owner"
            ).json
            seen += page["users"]?.arrayValue?.compactMap { $0["localId"]?.stringValue } ?? []
            token = seen.last ?? ""
        }
        #expect(seen == [ids[1], ids[2], ids[0]])
    }

    @Test func `tools read what became of a link, and pages are there for the SDK`() async throws {
        let client = try client
        let user = try await client.signUp()
        let answer = try await client.admin(
            "sendOobCode", ["requestType": "VERIFY_EMAIL", "email": .string(user.email), "returnOobLink": true])
        let path = "/emulator/action?" + (answer.json["oobLink"]?.stringValue?.split(separator: "?", maxSplits: 1).last ?? "")
        #expect(try await server.get(path).text.contains("<form"))
        let done = try await server.form(path, [])
        #expect(done.json["authEmulator"]?["email"] == .string(user.email), "\(done.text)")
        let again = try await server.form(path, [])
        #expect(again.status == 400 && again.json["authEmulator"]?["instructions"] != nil)
        #expect(try await server.get("/emulator/action?mode=x&oobCode=y").json["authEmulator"]?["error"] == "Invalid mode")
        let link = try await client.admin(
            "sendOobCode",
            [
                "requestType": "EMAIL_SIGNIN", "email": .string(user.email), "returnOobLink": true,
                "continueUrl": "http://localhost/?a=1#/in",
            ])
        let back = try await server.get(
            "/emulator/action?" + (link.json["oobLink"]?.stringValue?.split(separator: "?", maxSplits: 1).last ?? ""))
        let location = back.value("Location") ?? ""
        #expect(location.hasPrefix("http://localhost/?a=1&mode=signIn&") && location.hasSuffix("#/in"), "\(location)")
        #expect(!location.contains("continueUrl"))
        #expect(try await server.get("/emulator/auth/handler").status == 400)
        #expect(try await server.get("/emulator/auth/handler?apiKey=k&providerId=google.com").status == 200)
        #expect(try await server.get("/emulator/auth/iframe").status == 200)
    }

    @Test func `there are no tenants, wherever they are asked for`() async throws {
        let projects = "/identitytoolkit.googleapis.com/v2/projects/demo-kidoban"
        for path in [
            "\(projects)/tenants", "\(projects)/tenants/t:x", "\(projects.replacing("v2", with: "v1"))/tenants/t/accounts:lookup",
        ] {
            let answer = try await server.post(path, ["displayName": "x"], bearer: "owner")
            #expect(answer.status == 400 && answer.failure == "UNSUPPORTED_TENANT_OPERATION", "\(path)")
        }
        #expect(
            try await server.get("/emulator/v1/projects/demo-kidoban/tenants/t/oobCodes").failure
                == "UNSUPPORTED_TENANT_OPERATION")
        let target: JSONValue = ["targetProjectId": "another", "email": .string(Account.newEmail())]
        #expect(try await client.admin("", target).status == 200)
        let refused = try await client.call("signUp", target)
        #expect(refused.failure == "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
    }
}

/// What many want at once, of one account.
@Suite(
    .needsServers,
    .installation {
        ToolkitClient.emulate(&$0)
        $0.passwords.queueLimitPerAccount = 1
    })
struct ToolkitRaceTests {
    let installation = Installation.current

    private func atOnce(
        _ count: Int, _ ask: @escaping @Sendable (Int) async throws -> TestHTTPResponse
    ) async throws -> [TestHTTPResponse] {
        try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for index in 0..<count { group.addTask { try await ask(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `of twenty sign-ups of one address none is told to come back`() async throws {
        let server = try #require(installation).server
        let email = JSONValue.string(Account.newEmail())
        for path in ["/identitytoolkit.googleapis.com/v1/accounts:signUp?key=\(ToolkitClient.key)", "/auth/register"] {
            let body: JSONValue = [
                "email": path.hasPrefix("/auth") ? .string(Account.newEmail()) : email, "password": "a horse 9 battery",
            ]
            let answers = try await atOnce(20) { _ in try await server.post(path, body) }
            #expect(answers.count { $0.status < 300 } == 1)
            #expect(answers.allSatisfy { $0.status < 500 }, "\(answers.map(\.status))")
        }
    }

    @Test func `of twenty uses of a code none is told to come back`() async throws {
        let client = ToolkitClient(http: try #require(installation).server)
        let user = try await client.signUp()
        let link = try await client.admin(
            "sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(user.email), "returnOobLink": true])
        let code = try #require(link.json["oobCode"])
        let answers = try await atOnce(20) { index in
            try await client.call("resetPassword", ["oobCode": code, "newPassword": .string("number \(index) horse")])
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.failure == "INVALID_OOB_CODE" })
    }

    @Test func `what a session asked for before it ended is not done after that`() async throws {
        let client = ToolkitClient(http: try #require(installation).server)
        let user = try await client.signUp()
        let answers = try await atOnce(6) { _ in
            try await client.call("update", ["idToken": .string(user.idToken), "email": .string(Account.newEmail())])
        }
        #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(\.text))")
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.failure == "TOKEN_EXPIRED" })
    }
}

/// The emulator as the Admin SDK for Node wants it.
@Suite(
    .needsServers,
    .installation {
        ToolkitClient.emulate(&$0)
        $0.firebase.hasUnsignedTokens = true
        $0.firebase.hidesAddresses = true
    })
struct ToolkitUnsignedTests {
    let installation = Installation.current

    @Test func `tokens go out without a signature, and hold and end as others do`() async throws {
        let server = try #require(installation).server
        let client = ToolkitClient(http: server)
        let user = try await client.signUp()
        #expect(
            user.idToken.hasSuffix(".") && user.idToken.hasPrefix(Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))))
        #expect(try await client.call("lookup", ["idToken": .string(user.idToken)]).status == 200)
        let path = "/identitytoolkit.googleapis.com/v1/projects/demo-kidoban:createSessionCookie"
        let cookie = try await server.post(path, ["idToken": .string(user.idToken)], bearer: "owner").json["sessionCookie"]
        #expect(cookie?.stringValue?.hasSuffix(".") == true)
        #expect(try await client.call("lookup", ["idToken": cookie ?? ""]).failure == "INVALID_ID_TOKEN")
        let made = user.idToken.replacing(user.idToken.dropLast().suffix(4), with: "AAAA")
        #expect(try await client.call("lookup", ["idToken": .string(made)]).status == 400)
        _ = try await client.call("update", ["idToken": .string(user.idToken), "password": "another password"])
        #expect(try await client.call("lookup", ["idToken": .string(user.idToken)]).failure == "TOKEN_EXPIRED")
    }

    @Test func `an administrator is told no more of an unknown address than others`() async throws {
        let client = ToolkitClient(http: try #require(installation).server)
        let email = Account.newEmail()
        let answer = try await client.admin(
            "sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(email), "returnOobLink": true])
        #expect(
            answer.json == ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(email)], "\(answer.text)")
    }
}
