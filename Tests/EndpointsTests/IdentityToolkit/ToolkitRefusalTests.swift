import Endpoints
import Server
import TestSupport
import Testing
import Text

/// What is refused, in which words and in which order, as the emulator does it.
@Suite(.needsServers, .installation { ToolkitClient.emulate(&$0) })
struct ToolkitRefusalTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: ToolkitClient { get throws { try ToolkitClient(http: server) } }

    private func code(_ type: String, _ email: String) async throws -> JSONValue {
        let answer = try await client.admin(
            "sendOobCode", ["requestType": .string(type), "email": .string(email), "returnOobLink": true])
        return try #require(answer.json["oobCode"], "\(answer.text)")
    }

    @Test func `what is not offered is said to be so, and nothing is changed`() async throws {
        let client = try client
        let user = try await client.signUp()
        let (token, id) = (JSONValue.string(user.idToken), JSONValue.string(user.localID))
        let google = "providerId=google.com"
        for (method, body) in [
            ("createAuthUri", ["providerId": "google.com", "continueUri": "http://localhost"]),
            ("update", ["idToken": token, "displayName": "x", "provider": ["google.com"]]),
            ("update", ["idToken": token, "displayName": "x", "upgradeToFederatedLogin": true]),
            ("update", ["idToken": token, "displayName": "x", "deleteAttribute": ["PROVIDER"]]),
            ("update", ["idToken": token, "displayName": "x", "deleteAttribute": [6]]),
            ("update", ["oobCode": try await code("PASSWORD_RESET", user.email)]),
            ("sendOobCode", ["requestType": "REVERT_SECOND_FACTOR_ADDITION"]), ("sendOobCode", ["requestType": 5]),
            ("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(google)]),
            ("signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(google), "returnRefreshToken": true]),
            (
                "signInWithPassword",
                ["email": .string(user.email), "password": .string(Account.password), "pendingIdToken": token]
            ),
        ] as [(String, JSONValue)] {
            let answer = try await client.call(method, body)
            #expect(answer.status == 501 && answer.json["error"]?["status"] == "NOT_IMPLEMENTED", "\(method) \(answer.text)")
            #expect(answer.json["error"]?["errors"]?.arrayValue?.first?["reason"] == "unimplemented")
        }
        #expect(try await client.admin("lookup", ["initialEmail": [.string(user.email)]]).status == 501)
        #expect(try await client.admin("update", ["localId": id, "deleteAttribute": ["RAW_USER_INFO"]]).status == 501)
        let found = try await client.call("lookup", ["idToken": token]).json["users"]?.arrayValue?.first
        #expect(found?["localId"] == id && found?["displayName"] == nil)
    }

    @Test func `the first thing that is wrong is told`() async throws {
        let client = try client
        let (user, other) = try await (client.signUp(), client.signUp())
        let token = JSONValue.string(user.idToken)
        let taken: JSONValue = .string(other.email)
        for (method, body, failure) in [
            ("update", ["customAttributes": "{}"], "INVALID_REQ_TYPE : Unsupported request parameters."),
            ("update", ["idToken": token, "email": taken, "password": "short"], "EMAIL_EXISTS"),
            ("update", ["idToken": token, "linkProviderUserInfo": ["rawId": "1"]], "MISSING_PROVIDER_ID"),
            ("update", ["idToken": token, "linkProviderUserInfo": ["providerId": "google.com"]], "MISSING_RAW_ID"),
            ("signUp", ["idToken": "x", "password": "secret"], "MISSING_EMAIL"),
            ("signUp", ["idToken": "x", "email": taken, "password": "short"], "EMAIL_EXISTS"),
            ("signUp", ["idToken": "x", "email": "a@example.com", "password": "secret"], "INVALID_ID_TOKEN"),
            ("signInWithEmailLink", ["idToken": "x"], "INVALID_ID_TOKEN"),
            ("signInWithCustomToken", ["token": #"{"uid":"a","claims":null}"#], "INVALID_CLAIMS"),
            ("signInWithCustomToken", ["token": "x.y.z"], "INVALID_CUSTOM_TOKEN : Invalid assertion format"),
            ("sendOobCode", ["requestType": 0], "MISSING_REQ_TYPE"),
            ("sendOobCode", ["requestType": "RECOVER_EMAIL", "returnOobLink": true], "INSUFFICIENT_PERMISSION"),
        ] as [(String, JSONValue, String)] {
            let answer = try await client.call(method, body)
            #expect(answer.failure == failure, "\(method) \(body)")
        }
        let admin: JSONValue = ["localId": .string(user.localID), "email": taken, "password": "short"]
        #expect(try await client.admin("update", admin).failure == "EMAIL_EXISTS")
        let nameless = try await client.admin("batchCreate", ["users": [["email": "a@b.c"], ["email": "d@b.c"]]])
        #expect(nameless.failure == "DUPLICATE_LOCAL_ID : ")
    }

    @Test func `what is none of the values, or no text, is no argument`() async throws {
        let client = try client
        let token = JSONValue.string(try await client.signUp().idToken)
        for (method, body) in [
            ("sendOobCode", ["requestType": "FOO"]), ("update", ["idToken": token, "deleteAttribute": ["FOO"]]),
            ("signUp", ["email": ["a": "b"], "password": "secret"]), ("signUp", ["email": "a@b.c", "password": ["secret"]]),
            ("signUp", ["display_name": ["x"]]),
        ] as [(String, JSONValue)] {
            let answer = try await client.call(method, body)
            #expect(answer.status == 400 && answer.json["error"]?["status"] == "INVALID_ARGUMENT", "\(method) \(answer.text)")
        }
        let broken = try await server.send(
            .json("POST", "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", Array("{".utf8)))
        #expect(broken.json["error"]?["errors"]?.arrayValue?.first?["reason"] == "parseError", "\(broken.text)")
        let nowhere = try await server.get("/identitytoolkit.googleapis.com/v1/nowhere")
        #expect(nowhere.status == 404)
    }

    @Test func `users are looked up in the order in which they are named, and by what any provider is called`() async throws {
        let client = try client
        let users = try await [client.signUp(), client.signUp(), client.signUp()]
        let wanted: JSONValue = [
            "localId": [.string(users[2].localID)], "email": [.string(users[1].email), .string(users[0].email)],
        ]
        let found = try await client.admin("lookup", wanted).json["users"]?.arrayValue?.compactMap { $0["localId"]?.stringValue }
        #expect(found == [users[2].localID, users[1].localID, users[0].localID])
        let (subject, id) = (Account.newEmail(), JSONValue.string(users[0].localID))
        let link: JSONValue = ["providerId": "facebook.com", "rawId": .string(subject), "email": .string("F\(subject)")]
        #expect(try await client.admin("update", ["localId": id, "linkProviderUserInfo": link]).status == 200)
        let named: JSONValue = ["federatedUserId": [["providerId": "facebook.com", "rawId": .string(subject)]]]
        let identity = try await client.admin("lookup", named).json["users"]?.arrayValue?.first?["providerUserInfo"]
        #expect(identity?.arrayValue?.contains { $0["providerId"] == "facebook.com" } == true, "\(String(describing: identity))")
        let methods = try await client.call(
            "createAuthUri", ["identifier": .string("f\(subject)"), "continueUri": "myapp:/signed-in"])
        #expect(methods.json["allProviders"] == ["password", "facebook.com"], "\(methods.text)")
    }

    @Test func `an app takes its phone number away`() async throws {
        let client = try client
        let user = try await client.signUp()
        let number = "+1555\(user.localID.utf8.reduce(0) { ($0 * 31 + Int($1)) % 10_000_000 } + 10_000_000)"
        let id = JSONValue.string(user.localID)
        #expect(try await client.admin("update", ["localId": id, "phoneNumber": .string(number)]).status == 200)
        let answer = try await client.call("update", ["idToken": .string(user.idToken), "deleteProvider": ["phone"]])
        #expect(answer.status == 200, "\(answer.text)")
        let providers = answer.json["providerUserInfo"]?.arrayValue?.map { $0["providerId"] }
        #expect(providers == ["password"])
    }

    @Test func `the older API names its project, and codes outlive the users of a test`() async throws {
        let client = try client
        let legacy = "/www.googleapis.com/identitytoolkit/v3/relyingparty"
        for name in ["downloadAccount", "uploadAccount"] {
            #expect(try await server.post("\(legacy)/\(name)", [:], bearer: "owner").failure == "INSUFFICIENT_PERMISSION")
        }
        let project: JSONValue = ["targetProjectId": .string(ToolkitClient.project)]
        #expect(try await server.post("\(legacy)/downloadAccount", project, bearer: "owner").status == 200)
        let token = JSONValue.string(try await client.signUp().idToken)
        let path = "/identitytoolkit.googleapis.com/v1/projects/\(ToolkitClient.project):createSessionCookie"
        #expect(try await server.post(path, ["idToken": token, "validDuration": "0"], bearer: "owner").status == 200)
    }
}
