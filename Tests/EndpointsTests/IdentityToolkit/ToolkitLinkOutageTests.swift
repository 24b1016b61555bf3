import Crypto
import Endpoints
import Identity
import Server
import TestSupport
import Testing
import Text

/// The links of mails when a store fails: one that has led to nothing is good again, and none is good twice.
@Suite(.needsServers, .timeLimit(.minutes(10)))
struct ToolkitLinkOutageTests {
    /// Whom a link signs in.
    enum Subject: CaseIterable {
        case nobodyYet, known, unproved, anonymous
    }

    /// An address, the code of a link to it, and the ID token of who wants the address.
    private struct Sent {
        let email: String
        let code: JSONValue
        var idToken: String?

        var body: JSONValue {
            var body = JSONObject()
            body["email"] = .string(email)
            body["oobCode"] = code
            if let idToken { body["idToken"] = .string(idToken) }
            return .object(body)
        }
    }

    private func send(_ type: String, to email: String, _ client: ToolkitClient) async throws -> JSONValue {
        let answer = try await client.admin(
            "sendOobCode", ["requestType": .string(type), "email": .string(email), "returnOobLink": true])
        return try #require(answer.json["oobCode"], "\(answer.text)")
    }

    private func link(for subject: Subject, _ client: ToolkitClient) async throws -> Sent {
        let email = Account.newEmail()
        var idToken: String?
        switch subject {
        case .nobodyYet: break
        case .known, .unproved:
            let made = try await client.admin(
                "",
                [
                    "email": .string(email), "password": .string(Account.password), "emailVerified": .bool(subject == .known),
                ])
            #expect(made.status == 200, "\(made.text)")
        case .anonymous:
            idToken = try ToolkitClient.SignedIn(await client.call("signUp", ["returnSecureToken": true])).idToken
        }
        return Sent(email: email, code: try await send("EMAIL_SIGNIN", to: email, client), idToken: idToken)
    }

    /// Asks until a store answers again.
    private func repeated(_ ask: () async throws -> TestHTTPResponse) async throws -> TestHTTPResponse {
        var answer = try await ask()
        try await eventually {
            if answer.status >= 500 { answer = try await ask() }
            return answer.status < 500
        }
        return answer
    }

    @Test(.needsOwnRedis, arguments: [Subject.nobodyYet, .known, .unproved])
    func `a link whose session could not begin signs in once, for as long as it would have`(_ subject: Subject) async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url, ToolkitClient.emulate).run { installation in
            let client = ToolkitClient(http: try installation.server)
            let sent = try await link(for: subject, client)
            // Access tokens cannot be written, and nothing else is amiss.
            try redis.command("ACL SETUSER default resetkeys ~code:* ~limit:* ~session:* ~user:* %R~at:*")
            let failed = try await client.call("signInWithEmailLink", sent.body)
            #expect(failed.status >= 500, "\(failed.text)")
            try redis.command("ACL SETUSER default allkeys")
            let key = "code:link:\(SHA256.hash(sent.code.stringValue ?? "").hex)"
            let rest = try RedisProbe(port: redis.port).answers(to: ["PTTL \(key)"]).dropFirst().prefix { !$0.isNewline }
            #expect((1...3_600_000).contains(try #require(Int(rest))))
            let user = try ToolkitClient.SignedIn(try await repeated { try await client.call("signInWithEmailLink", sent.body) })
            #expect(user.email == sent.email && user.claims?["email_verified"] == true)
            #expect(try await client.call("signInWithEmailLink", sent.body).failure == "INVALID_OOB_CODE")
        }
    }

    @Test func `a link whose address is an account's by now, and led to no session, signs in to that account`() async throws {
        try await Installation(ToolkitClient.emulate).run { installation in
            let client = ToolkitClient(http: try installation.server)
            var sent = try await link(for: .anonymous, client)
            // The next step after the change fails.
            try TestDatabase.run(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
                CREATE TRIGGER refuse BEFORE INSERT ON project_marks EXECUTE FUNCTION refuse()
                """, on: installation.databaseURL)
            let failed = try await client.call("signInWithEmailLink", sent.body)
            #expect(failed.status >= 500, "\(failed.text)")
            try TestDatabase.run("DROP TRIGGER refuse ON project_marks", on: installation.databaseURL)
            // The session that asked has ended with the change.
            #expect(try await client.call("signInWithEmailLink", sent.body).failure == "TOKEN_EXPIRED")
            let idToken = try #require(sent.idToken)
            sent.idToken = nil
            let user = try ToolkitClient.SignedIn(await client.call("signInWithEmailLink", sent.body))
            let asked = Base64URL.decode(idToken.split(separator: ".")[1]).flatMap { try? JSON.parse($0) }
            #expect(.string(user.localID) == asked?["sub"])
            #expect(try await client.call("signInWithEmailLink", sent.body).failure == "INVALID_OOB_CODE")
        }
    }

    @Test(arguments: Subject.allCases) func `of many who use a link at once, one gets in`(_ subject: Subject) async throws {
        try await Installation(ToolkitClient.emulate).run { installation in
            let client = ToolkitClient(http: try installation.server)
            let sent = try await link(for: subject, client)
            let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
                for _ in 0..<8 { group.addTask { try await client.call("signInWithEmailLink", sent.body) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(\.text))")
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 }, "\(answers.map(\.text))")
        }
    }

    /// An address and a code of a kind to it; that of the address of before is shown by the emulator alone.
    private func code(_ type: String, _ client: ToolkitClient) async throws -> (email: String, code: JSONValue) {
        guard type != "EMAIL_SIGNIN" else {
            let email = Account.newEmail()
            return (email, try await send(type, to: email, client))
        }
        let user = try await client.signUp()
        guard type == "RECOVER_EMAIL" else { return (user.email, try await send(type, to: user.email, client)) }
        let change: JSONValue = ["idToken": .string(user.idToken), "email": .string(Account.newEmail())]
        #expect(try await client.call("update", change).status == 200)
        let shown = try await client.http.get("/emulator/v1/projects/demo-kidoban/oobCodes").json["oobCodes"]?.arrayValue ?? []
        let found = shown.first { $0["requestType"] == .string(type) && $0["email"] == .string(user.email) }
        return (user.email, try #require(found?["oobCode"]))
    }

    @Test(.needsOwnPostgres, arguments: ["EMAIL_SIGNIN", "VERIFY_EMAIL", "RECOVER_EMAIL"])
    func `a link is good once, between whichever steps PostgreSQL goes`(_ type: String) async throws {
        let postgres = try TestPostgres()
        let proxy = try TestProxy(to: postgres.socketPath, name: TestPostgres.socketName)
        let url = TestPostgres.connectionString(proxy.directoryPath)
        try await Installation(databaseURL: url, ToolkitClient.emulate).run { installation in
            let (client, copy) = (ToolkitClient(http: try installation.server), installation.copies[0])
            for step in 0..<80 {
                let (email, code) = try await code(type, client)
                let use = {
                    try await type == "EMAIL_SIGNIN"
                        ? client.call("signInWithEmailLink", ["email": .string(email), "oobCode": code])
                        : client.call("update", ["oobCode": code])
                }
                proxy.arm(.cut, after: step)
                let first = try await use()
                let hasFailed = proxy.hasFailed
                proxy.heal()
                try await eventually { try await copy.operations.get("/health/ready").status == 200 }
                let last = first.status < 500 ? first : try await repeated(use)
                #expect(last.status == 200 && last.json["email"] == .string(email), "step \(step): \(last.text)")
                #expect(try await repeated(use).failure == "INVALID_OOB_CODE", "step \(step)")
                if !hasFailed { return }
            }
            Issue.record("more steps than were tried")
        }
        proxy.stop()
    }
}
