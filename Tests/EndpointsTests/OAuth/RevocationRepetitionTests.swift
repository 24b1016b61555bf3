import TestSupport
import Testing
import Text

/// What has just ended is ended again at a new connection to Redis, which may lead to another server.
@Suite(.needsServers, .needsOwnRedis, .timeLimit(.minutes(5)))
struct RevocationRepetitionTests {
    @Test func `a new connection to Redis tells again of what its server lacks, and of nothing else`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let listener = try await FeedListener.hearing(server.port, backend)
            let account = try await server.signUp()
            let form = [("client_id", "app"), ("token", account.accessToken)]
            #expect(try await server.form("/oauth2/revoke", form).status == 200)
            let told = {
                listener.events.filter { $0.data["sub"] != nil }.map { "\($0.name) \($0.data["sub"] ?? .null)" }
            }
            try await endSession(of: server)
            try await eventually { told().count == 2 }

            // Each loop's connection has repeated both by the time that it serves.
            try send("CLIENT KILL TYPE normal", to: redis)
            try await endSession(of: server)
            try await eventually { told().count == 3 }
            #expect(Set(told()).count == 3)

            // One is lost, as by a failover.
            let lost = try #require(listener.events.first { $0.name == "session_ended" })
            try send("XDEL feed:revocations \(try #require(lost.id))", to: redis)
            try send("CLIENT KILL TYPE normal", to: redis)
            try await endSession(of: server)
            try await eventually { Set(told()).count == 4 }
            #expect(Set(told().filter { name in told().filter { $0 == name }.count > 1 }) == [told()[1]])
            listener.hangUp()
        }
    }

    @Test func `a session that many end at once, while it is used, is told of once`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let listener = try await FeedListener.hearing(server.port, backend)
            var users: [String] = []
            for _ in 0..<5 {
                let account = try await server.signUp()
                users.append(account.id)
                let refresh: JSONValue = ["refreshToken": .string(account.refreshToken)]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<16 {
                        group.addTask { _ = try await server.post(number % 2 == 0 ? "/auth/logout" : "/auth/refresh", refresh) }
                    }
                    try await group.waitForAll()
                }
            }
            // Behind all that is told of them.
            let last = try await server.signUp()
            users.append(last.id)
            #expect(try await server.post("/auth/logout", ["refreshToken": .string(last.refreshToken)]).status == 204)
            let told = { listener.events.filter { $0.name == "session_ended" }.compactMap { $0.data["sub"]?.stringValue } }
            try await eventually { told().last == last.id }
            #expect(told() == users)
            listener.hangUp()
        }
    }

    /// Signs somebody up and out, once Redis answers.
    private func endSession(of server: TestHTTPClient) async throws {
        var account: Account?
        try await eventually {
            let body: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
            let answer = try await server.post("/auth/register", body)
            if answer.status == 201 { account = try Account(answer) }
            return account != nil
        }
        let refreshToken = try #require(account).refreshToken
        try await eventually {
            try await server.post("/auth/logout", ["refreshToken": .string(refreshToken)]).status == 204
        }
    }

    private func send(_ command: String, to redis: TestRedis) throws {
        let connection = try TestSocket(connectingTo: redis.port)
        try connection.send(command + "\r\n")
        let answer = String(decoding: try connection.receive(), as: UTF8.self)
        #expect(answer.hasPrefix(":") && answer != ":0\r\n", "\(answer)")
    }
}
