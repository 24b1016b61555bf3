import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation(ToolkitClient.emulate))
struct ToolkitEmulatorTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: ToolkitClient { get throws { try ToolkitClient(http: server) } }

    /// A user whom an administrator makes, and the id.
    private func create(_ members: [(String, JSONValue)] = []) async throws -> (id: String, email: String) {
        let email = Account.newEmail()
        var body = JSONObject([
            JSONObject.Member(key: "email", value: .string(email)), JSONObject.Member(key: "password", value: "secret"),
        ])
        for (name, value) in members { body[name] = value }
        let answer = try await client.admin("", .object(body))
        try #require(answer.status == 200, "\(answer.text)")
        return (try #require(answer.json["localId"]?.stringValue), email)
    }

    private func lookUp(_ id: String) async throws -> JSONValue? {
        try await client.admin("lookup", ["localId": .array([.string(id)])]).json["users"]?.arrayValue?.first
    }

    @Test func `it says that it is ready`() async throws {
        #expect(try await server.get("/").json["authEmulator"]?["ready"] == true)
    }

    @Test func `an administrator chooses the id, and changes everything`() async throws {
        let id = "uid-\(Account.newEmail().prefix(18))"
        let (made, email) = try await create([("localId", .string(id)), ("emailVerified", true), ("displayName", "First")])
        #expect(made == id)
        #expect(try await client.admin("", ["localId": .string(id)]).failure == "DUPLICATE_LOCAL_ID")
        let changed = try await client.admin(
            "update",
            [
                "localId": .string(id), "displayName": "Second", "photoUrl": "https://example.com/photo.png",
                "customAttributes": #"{"admin":true}"#, "disableUser": true,
            ])
        #expect(changed.json["localId"] == .string(id), "\(changed.text)")
        let user = try await lookUp(id)
        #expect(user?["displayName"] == "Second" && user?["disabled"] == true && user?["emailVerified"] == true)
        #expect(user?["customAttributes"] == #"{"admin":true}"# && user?["lastLoginAt"] == nil)
        let refused = try await client.call("signInWithPassword", ["email": .string(email), "password": "secret"])
        #expect(refused.failure == "USER_DISABLED")
        _ = try await client.admin("update", ["localId": .string(id), "disableUser": false, "deleteAttribute": ["DISPLAY_NAME"]])
        let signedIn = try ToolkitClient.SignedIn(
            await client.call("signInWithPassword", ["email": .string(email), "password": "secret"]))
        #expect(signedIn.localID == id && signedIn.claims?["admin"] == true)
        #expect(try await client.admin("delete", ["localId": .string(id)]).status == 200)
        #expect(try await client.admin("delete", ["localId": .string(id)]).failure == "USER_NOT_FOUND")
        #expect(try await client.admin("lookup", ["localId": [.string(id)]]).json["users"] == nil)
    }

    @Test func `reserved claims and claims that are too long are refused first`() async throws {
        let client = try client
        let reserved = try await client.admin("update", ["localId": "nobody", "customAttributes": #"{"aud":"x"}"#])
        #expect(reserved.failure == "FORBIDDEN_CLAIM : aud")
        let text = String(repeating: "x", count: 1000)
        let long = try await client.admin("update", ["localId": "nobody", "customAttributes": .string(#"{"a":"\#(text)"}"#)])
        #expect(long.failure == "CLAIMS_TOO_LARGE")
        #expect(try await client.admin("update", ["localId": "nobody"]).failure == "USER_NOT_FOUND")
    }

    @Test func `a change that is refused changes nothing`() async throws {
        let (id, _) = try await create([("displayName", "First")])
        let (_, taken) = try await create()
        let refused = try await client.admin(
            "update",
            ["localId": .string(id), "displayName": "Second", "customAttributes": #"{"a":1}"#, "email": .string(taken)])
        #expect(refused.failure == "EMAIL_EXISTS")
        let user = try await lookUp(id)
        #expect(user?["displayName"] == "First" && user?["customAttributes"] == nil)
    }

    @Test func `a phone number is one user's, however many want it at once`() async throws {
        let client = try client
        let number = "+8190\(UInt64.random(in: 10_000_000...99_999_999))"
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await client.admin("", ["email": .string(Account.newEmail()), "phoneNumber": .string(number)])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.failure == "PHONE_NUMBER_EXISTS" })
        var ids: [String] = []
        for _ in 0..<10 { ids.append(try await create().id) }
        let another = "+8180\(UInt64.random(in: 10_000_000...99_999_999))"
        let changes = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for id in ids {
                group.addTask { try await client.admin("update", ["localId": .string(id), "phoneNumber": .string(another)]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(changes.count { $0.status == 200 } == 1)
        #expect(changes.filter { $0.status != 200 }.allSatisfy { $0.failure == "PHONE_NUMBER_EXISTS" })
    }

    @Test func `an import may be larger than other requests`() async throws {
        // Everybody else's limit is 1 MiB here.
        let padding = JSONValue.string(String(repeating: "x", count: 1_500_000))
        let user: JSONValue = [
            "localId": .string("large-\(Account.newEmail().prefix(14))"), "email": .string(Account.newEmail()),
        ]
        let imported = try await client.admin("batchCreate", ["users": [user], "ignored": padding])
        #expect(imported.status == 200 && imported.json["error"] == nil, "\(imported.status)")
    }

    @Test func `a code is used once, of twenty at once by one`() async throws {
        let (_, email) = try await create()
        let client = try client
        let sent = try await client.call("sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(email)])
        #expect(sent.json["email"] == .string(email) && sent.json["oobCode"] == nil)
        let shown = try await server.get("/emulator/v1/projects/demo-kidoban/oobCodes").json["oobCodes"]?.arrayValue ?? []
        let code = try #require(shown.first { $0["email"] == .string(email) }?["oobCode"])
        let looked = try await client.call("resetPassword", ["oobCode": code])
        #expect(looked.json["requestType"] == "PASSWORD_RESET" && looked.json["email"] == .string(email))
        let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for _ in 0..<20 {
                group.addTask { try await client.call("resetPassword", ["oobCode": code, "newPassword": "newsecret"]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.failure == "INVALID_OOB_CODE" })
        _ = try ToolkitClient.SignedIn(
            await client.call("signInWithPassword", ["email": .string(email), "password": "newsecret"]))
    }

    @Test func `a link is given to an administrator, and looking at its page uses nothing`() async throws {
        let (id, email) = try await create()
        let answer = try await client.admin(
            "sendOobCode",
            [
                "requestType": "VERIFY_EMAIL", "email": .string(email), "returnOobLink": true,
                "continueUrl": "http://localhost?a=1&b=2#f",
            ])
        let link = try #require(answer.json["oobLink"]?.stringValue, "\(answer.text)")
        #expect(link.contains("mode=verifyEmail") && link.contains("continueUrl=http%3A%2F%2Flocalhost%3Fa%3D1%26b%3D2%23f"))
        let path = "/emulator/action?" + (link.split(separator: "?", maxSplits: 1).last ?? "")
        for _ in 0..<2 { #expect(try await server.get(path).status == 200) }
        #expect(try await lookUp(id)?["emailVerified"] == false)
        let code = try #require(answer.json["oobCode"])
        #expect(try await client.call("update", ["oobCode": code]).json["emailVerified"] == true)
        #expect(try await client.call("update", ["oobCode": code]).failure == "INVALID_OOB_CODE")
    }

    @Test(arguments: ["changed", "removed", "overwritten"])
    func `the proved address that an administrator takes away is told, and undoes it`(_ how: String) async throws {
        let (client, installation) = (try client, try #require(installation))
        let id = "uid-\(Account.newEmail().prefix(18))"
        let (_, email) = try await create([("localId", .string(id)), ("emailVerified", true)])
        let other = Account.newEmail()
        let answer =
            switch how {
            case "changed": try await client.admin("update", ["localId": .string(id), "email": .string(other)])
            case "removed": try await client.admin("update", ["localId": .string(id), "deleteAttribute": ["EMAIL"]])
            default:
                try await client.admin(
                    "batchCreate",
                    ["allowOverwrite": true, "users": [["localId": .string(id), "email": .string(other)]]])
            }
        try #require(answer.status == 200 && answer.json["error"] == nil, "\(answer.text)")
        let notices = try installation.mails(to: email).filter { $0.kind == "address_changed" }
        let notice = try #require(notices.first)
        #expect(notices.count == 1 && notice.link.contains("/account/undo?code="))
        #expect(try await server.form("/account/undo", [("code", notice.code)]).status == 200)
        let user = try await lookUp(id)
        #expect(user?["email"] == .string(email) && user?["emailVerified"] == true)
    }

    @Test func `who reads the mail signs in by its link`() async throws {
        let client = try client
        let email = Account.newEmail()
        let answer = try await client.admin(
            "sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(email), "returnOobLink": true])
        let code = try #require(answer.json["oobCode"], "\(answer.text)")
        let other = try await client.call("signInWithEmailLink", ["email": "other@example.com", "oobCode": code])
        #expect(other.failure == "INVALID_EMAIL : The email provided does not match the sign-in email address.")
        let response = try await client.call("signInWithEmailLink", ["email": .string(email), "oobCode": code])
        let user = try ToolkitClient.SignedIn(response)
        #expect(response.json["isNewUser"] == true && user.claims?["email_verified"] == true)
        #expect(user.claims?["firebase"]?["sign_in_provider"] == "password")
        #expect(
            try await client.call("signInWithEmailLink", ["email": .string(email), "oobCode": code]).failure == "INVALID_OOB_CODE"
        )
    }

    @Test func `a new password makes the links void that were mailed before, whatever the mailbox`() async throws {
        let client = try client
        func link(_ email: String) async throws -> JSONValue {
            let answer = try await client.admin(
                "sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(email), "returnOobLink": true])
            return try #require(answer.json["oobCode"], "\(answer.text)")
        }
        func signIn(_ email: String, _ code: JSONValue) async throws -> String? {
            try await client.call("signInWithEmailLink", ["email": .string(email), "oobCode": code]).failure
        }
        let (user, email) = try await create([("emailVerified", true)])
        let (early, late) = (try await link(email), try await link(email))
        #expect(try await signIn(email, early) == nil)
        _ = try await client.admin("update", ["localId": .string(user), "password": "another password"])
        #expect(try await signIn(email, late) == "INVALID_OOB_CODE")
        #expect(try await signIn(email, try await link(email)) == nil)
        // One that was mailed before there was an account.
        let new = Account.newEmail()
        let first = try await link(new)
        _ = try await client.admin("", ["email": .string(new), "emailVerified": true])
        #expect(try await signIn(new, first) == "INVALID_OOB_CODE")
        // One whose address was never proved is its owner's, however often a stranger changes the password.
        let (squatted, address) = try await create([])
        let code = try await link(address)
        _ = try await client.admin("update", ["localId": .string(squatted), "password": "another password"])
        #expect(try await signIn(address, code) == nil)
    }

    private func customToken(_ id: String) -> JSONValue {
        let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
        let payload = Base64URL.encode(Array(#"{"aud":"\#(audience)","uid":"\#(id)","claims":{"premium":true}}"#.utf8))
        return .string("\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(payload).")
    }

    @Test func `an account of a custom token stays its user's, whoever proves the address that it only has`() async throws {
        let (client, email) = (try client, Account.newEmail())
        let id = "custom-\(email.prefix(16))"
        let user = try ToolkitClient.SignedIn(await client.call("signInWithCustomToken", ["token": customToken(id)]))
        let upgrade: JSONValue = ["idToken": .string(user.idToken), "email": .string(email), "password": "a stranger's"]
        #expect(try await client.call("signUp", upgrade).json["localId"] == .string(id))

        _ = try await client.call("sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(email)])
        let shown = try await server.get("/emulator/v1/projects/demo-kidoban/oobCodes").json["oobCodes"]?.arrayValue ?? []
        let code = try #require(shown.first { $0["email"] == .string(email) }?["oobCode"])
        #expect(try await client.call("resetPassword", ["oobCode": code, "newPassword": "newsecret"]).status == 200)
        let owner = try await client.call("signInWithPassword", ["email": .string(email), "password": "newsecret"])
        #expect(owner.status == 200 && owner.json["localId"] != .string(id), "\(owner.text)")
        let again = try ToolkitClient.SignedIn(await client.call("signInWithCustomToken", ["token": customToken(id)]))
        #expect(again.claims?["sub"] == .string(id) && again.claims?["email_verified"] == false)
    }

    @Test func `a custom token signs in whom the project's server names`() async throws {
        let client = try client
        let id = "custom-\(Account.newEmail().prefix(16))"
        let token = customToken(id)
        let response = try await client.call("signInWithCustomToken", ["token": token])
        let user = try ToolkitClient.SignedIn(response)
        #expect(response.json["isNewUser"] == true)
        #expect(user.claims?["sub"] == .string(id) && user.claims?["premium"] == true)
        #expect(user.claims?["firebase"]?["sign_in_provider"] == "custom")
        // By these the feed of revocations tells of its end.
        #expect(user.claims?["sid"]?.stringValue != nil && user.claims?["jti"]?.stringValue != nil)
        #expect(try await client.call("signInWithCustomToken", ["token": token]).json["isNewUser"] == false)
        let refreshed = try await client.refresh(user.refreshToken)
        #expect(refreshed.json["user_id"] == .string(id))
    }

    @Test func `users are imported, listed in pages, and deleted in one go`() async throws {
        let client = try client
        let ids = (0..<3).map { "import-\($0)-\(Account.newEmail().prefix(14))" }
        let users = ids.enumerated().map { index, id -> JSONValue in
            [
                "localId": .string(id), "email": .string(Account.newEmail()),
                // HMAC-SHA256 of the password under the key "secret", as the documents of the Admin SDK have it.
                "passwordHash": .string(Base64URL.encode([UInt8](repeating: UInt8(index), count: 32))), "salt": "TmFDbA",
            ]
        }
        let answer = try await client.admin(
            "batchCreate", ["users": .array(users), "hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0"])
        #expect(answer.status == 200 && answer.json["error"] == nil, "\(answer.text)")
        let again = try await client.admin(
            "batchCreate", ["users": [users[0]], "hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0"])
        #expect(again.json["error"]?.arrayValue?.first?["index"] == 0)
        var (seen, token) = (Set<String>(), String?.none)
        repeat {
            let path = "/identitytoolkit.googleapis.com/v1/projects/demo-kidoban/accounts:batchGet?maxResults=2"
            let page = try await server.get(path + (token.map { "&nextPageToken=\($0)" } ?? ""), bearer: "owner")
            for user in page.json["users"]?.arrayValue ?? [] {
                let isNew = seen.insert(user["localId"]?.stringValue ?? "").inserted
                #expect(isNew)
                #expect(user["salt"]?.stringValue != nil)
            }
            token = page.json["nextPageToken"]?.stringValue
        } while token != nil
        #expect(seen.isSuperset(of: ids))
        let refused = try await client.admin("batchDelete", ["localIds": .array([.null] + ids.map { .string($0) })])
        #expect(Set(refused.json["errors"]?.arrayValue?.compactMap { $0["index"]?.integerValue } ?? []) == [1, 2, 3])
        let deleted = try await client.admin("batchDelete", ["localIds": .array(ids.map { .string($0) }), "force": true])
        #expect(deleted.status == 200 && deleted.json["errors"] == nil)
        let found = try await client.admin("query", ["expression": [["userId": .string(ids[0])]]])
        #expect(found.json["recordsCount"] == "0")
    }

    @Test(arguments: ["ASC", "DESC"]) func `users are found in the order of their names`(_ order: String) async throws {
        var ids: [String] = []
        for name in ["sort-b", "sort-a", "sort-c"] { ids.append(try await create([("displayName", .string(name))]).id) }
        let answer = try await client.admin("query", ["sortBy": "NAME", "order": .string(order), "limit": 500])
        let found = (answer.json["userInfo"]?.arrayValue ?? []).compactMap { $0["localId"]?.stringValue }
        let wanted = order == "ASC" ? [ids[1], ids[0], ids[2]] : [ids[2], ids[0], ids[1]]
        #expect(found.filter { ids.contains($0) } == wanted, "\(answer.text)")
    }

    @Test func `a session cookie says what the id token says, under its own issuer`() async throws {
        let user = try await client.signUp()
        let path = "/identitytoolkit.googleapis.com/v1/projects/demo-kidoban:createSessionCookie"
        let answer = try await server.post(path, ["idToken": .string(user.idToken), "validDuration": "600"], bearer: "owner")
        let cookie = try #require(answer.json["sessionCookie"]?.stringValue, "\(answer.text)")
        let claims = try JSON.parse(#require(Base64URL.decode(cookie.split(separator: ".")[1])))
        #expect(claims["iss"] == "https://session.firebase.google.com/demo-kidoban")
        #expect(claims["sub"] == .string(user.localID))
        #expect((claims["exp"]?.integerValue ?? 0) - (claims["iat"]?.integerValue ?? 0) == 600)
        let short = try await server.post(path, ["idToken": .string(user.idToken), "validDuration": 299], bearer: "owner")
        #expect(short.failure == "INVALID_DURATION")
    }

    @Test func `what is revoked is refused everywhere`() async throws {
        let client = try client
        let user = try await client.signUp()
        let now = user.claims?["iat"]?.integerValue ?? 0
        let answer = try await client.admin("update", ["localId": .string(user.localID), "validSince": .integer(now + 1)])
        #expect(answer.status == 200)
        #expect(try await lookUp(user.localID)?["validSince"] == .string(String(now + 1)))
        #expect(try await client.call("lookup", ["idToken": .string(user.idToken)]).failure == "TOKEN_EXPIRED")
        #expect(try await client.refresh(user.refreshToken).failure == "TOKEN_EXPIRED")
    }

    @Test(arguments: ["oauthIdpConfigs oauthIdpConfigId oidc", "inboundSamlConfigs inboundSamlConfigId saml"])
    func `a test keeps configurations of providers`(_ names: String) async throws {
        let words = names.split(separator: " ").map(String.init)
        let collection = "/identitytoolkit.googleapis.com/v2/projects/demo-kidoban/\(words[0])"
        let id = "\(words[2]).t\(Account.newEmail().prefix { $0 != "@" }.lowercased().filter { $0.isLetter }.prefix(20))"
        let body: JSONValue = [
            "displayName": "Before", "clientId": "c", "issuer": "https://oidc.example.com", "enabled": true,
            "responseType": ["idToken": true, "code": false], "idpConfig": ["idpEntityId": "i", "ssoUrl": "https://example.com"],
            "spConfig": ["spEntityId": "s"],
        ]
        let made = try await server.post("\(collection)?\(words[1])=\(id)", body, bearer: "owner")
        #expect(made.status == 200 && made.json["name"] == .string("projects/demo-kidoban/\(words[0])/\(id)"), "\(made.text)")
        let twice = try await server.post("\(collection)?\(words[1])=\(id)", body, bearer: "owner")
        #expect(twice.failure == "CONFIGURATION_EXISTS")
        #expect(try await server.post("\(collection)?\(words[1])=x.y", body, bearer: "owner").failure == "INVALID_CONFIG_ID")
        let masked = try await server.patch(
            "\(collection)/\(id)?updateMask=displayName,responseType.code,idpConfig.ssoUrl",
            ["displayName": nil, "responseType": ["code": true], "idpConfig": ["ssoUrl": "https://other.example.com"]],
            bearer: "owner")
        #expect(masked.status == 200 && masked.json["displayName"] == nil && masked.json["enabled"] == true, "\(masked.text)")
        let found = try await server.get("\(collection)/\(id)", bearer: "owner").json
        let merged: JSONValue =
            words[2] == "oidc"
            ? ["idToken": true, "code": true] : ["idpEntityId": "i", "ssoUrl": "https://other.example.com"]
        #expect(found[words[2] == "oidc" ? "responseType" : "idpConfig"] == merged)
        let list = try await server.get("\(collection)?pageSize=100", bearer: "owner").json[words[0]]?.arrayValue
        #expect(list?.contains { $0["name"] == made.json["name"] } == true)
        #expect(try await server.delete("\(collection)/\(id)", bearer: "owner").status == 200)
        #expect(try await server.get("\(collection)/\(id)", bearer: "owner").failure == "CONFIGURATION_NOT_FOUND")
        #expect(try await server.get(collection).status == 401)
    }
}
