import TestSupport
import Testing
import Text

/// Whoever signs out several times at once, at several copies, is signed out, and told so.
@Suite(.needsServers)
struct ParallelSignOutTests {
    private static let count = 20

    /// The statuses of twenty requests at once, half of them at each of two copies.
    private func statuses(
        _ installation: Installation, _ send: @escaping @Sendable (TestHTTPClient) async throws -> Int
    ) async throws -> [Int] {
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.count {
                let server = installation.copies[number % 2].http
                group.addTask { try await send(server) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func withCopies(_ body: (Installation) async throws -> Void) async throws {
        try await Installation().run(copies: 2) { installation in try await body(installation) }
    }

    private func endings(_ installation: Installation) throws -> Int {
        try TestDatabase.rows("SELECT 1 FROM audit_events WHERE kind = 'session_ended'", on: installation.databaseURL).count
    }

    private func expectEnded(_ account: Account, _ installation: Installation) async throws {
        #expect(try await installation.server.get("/auth/me", bearer: account.accessToken).status == 401)
        let body: JSONValue = ["refreshToken": .string(account.refreshToken)]
        #expect(try await installation.server.post("/auth/refresh", body).status == 401)
        // Written half a second later at most; more than one would be of a second end.
        try await eventually { try endings(installation) > 0 }
        #expect(try endings(installation) == 1)
    }

    @Test func `logout with an access token is 204 for all of them`() async throws {
        try await withCopies { installation in
            let account = try await installation.server.signUp()
            let answers = try await statuses(installation) { server in
                try await server.send("POST", "/auth/logout", [("Authorization", "Bearer \(account.accessToken)")]).status
            }
            #expect(answers == Array(repeating: 204, count: Self.count))
            try await expectEnded(account, installation)
        }
    }

    @Test func `logout with a refresh token is 204 for all of them`() async throws {
        try await withCopies { installation in
            let account = try await installation.server.signUp()
            let answers = try await statuses(installation) { server in
                try await server.post("/auth/logout", ["refreshToken": .string(account.refreshToken)]).status
            }
            #expect(answers == Array(repeating: 204, count: Self.count))
            try await expectEnded(account, installation)
        }
    }

    @Test(arguments: [false, true])
    func `the end of a session, this one or another, is 204 for all of them`(isOwn: Bool) async throws {
        try await withCopies { installation in
            let account = try await installation.server.signUp()
            let other = try await installation.server.signIn(account)
            let sessions = try await installation.server.get("/auth/sessions", bearer: account.accessToken).json["sessions"]
            let ended = try #require(sessions?.arrayValue?.first { $0["current"] == .bool(isOwn) }?["id"]?.stringValue)
            let answers = try await statuses(installation) { server in
                try await server.delete("/auth/sessions/\(ended)", bearer: account.accessToken).status
            }
            #expect(answers == Array(repeating: 204, count: Self.count))
            try await expectEnded(isOwn ? account : other, installation)
            if isOwn {
                // The token is of no other use.
                let elsewhere = try await installation.server.delete(
                    "/auth/sessions/AAAAAAAAAAAAAAAAAAAAAA", bearer: account.accessToken)
                #expect(elsewhere.status == 401)
            }
        }
    }

    /// A second `DELETE` is 401, for it has no valid credential any more; never anything else.
    @Test func `the end of a token is 200 for who had a good one, 401 for who came after`() async throws {
        try await withCopies { installation in
            let account = try await installation.server.signUp()
            let answers = try await statuses(installation) { server in
                try await server.drop(account.accessToken).status
            }
            #expect(answers.contains(200))
            #expect(Set(answers).isSubset(of: [200, 401]))
            try await expectEnded(account, installation)
        }
    }
}
