import TestSupport
import Testing
import Text

/// Two copies on the same stores: what one has done, the other knows with the next request.
@Suite(.needsServers, .installation(copies: 2))
struct TwoCopiesTests {
    static let rounds = 50

    let installation = Installation.current

    /// Has a session ended on one copy and its tokens introspected on the other, over and over, both ways round.
    private func repeatedly(
        _ end: (TestHTTPClient, Account) async throws -> Int, expecting status: Int,
        dead: (Account) -> [String] = { [$0.accessToken, $0.refreshToken] }, rounds: Int = Self.rounds
    ) async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let copies = installation.copies.map(\.http)
        let account = try await copies[0].signUp()
        for round in 0..<rounds {
            let (here, there) = (copies[round % 2], copies[(round + 1) % 2])
            let session = try await here.signIn(account)
            try #require(try await there.introspect(session.accessToken, backend).json["active"] == true)
            try #require(try await end(here, session) == status)
            for token in dead(session) {
                try #require(try await there.introspect(token, backend).text == #"{"active":false}"#)
            }
        }
    }

    @Test func `a revoked access token`() async throws {
        try await repeatedly(
            { try await $0.form("/oauth2/revoke", [("client_id", "app"), ("token", $1.accessToken)]).status }, expecting: 200,
            dead: { [$0.accessToken] }, rounds: 200)
    }

    @Test func `a revoked refresh token`() async throws {
        try await repeatedly(
            { try await $0.form("/oauth2/revoke", [("client_id", "app"), ("token", $1.refreshToken)]).status }, expecting: 200)
    }

    @Test func `a sign-out`() async throws {
        try await repeatedly(
            { try await $0.post("/auth/logout", ["refreshToken": .string($1.refreshToken)]).status }, expecting: 204)
    }

    @Test func `a sign-out by the access token`() async throws {
        try await repeatedly(
            { try await $0.send("POST", "/auth/logout", [("Authorization", "Bearer \($1.accessToken)")]).status }, expecting: 204)
    }

    @Test func `a deleted account`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let copies = installation.copies.map(\.http)
        for round in 0..<Self.rounds {
            let (here, there) = (copies[round % 2], copies[(round + 1) % 2])
            let account = try await here.signUp()
            try #require(try await there.introspect(account.accessToken, backend).json["active"] == true)
            try #require(try await here.delete("/auth/me", bearer: account.accessToken).status == 204)
            for token in [account.accessToken, account.refreshToken] {
                try #require(try await there.introspect(token, backend).text == #"{"active":false}"#)
            }
        }
    }

    @Test(arguments: 0..<5)
    func `many refreshes at once with one token agree on one successor`(_ round: Int) async throws {
        let copies = try #require(installation).copies.map(\.http)
        let account = try await copies[0].signUp(rotates: true)
        let body: JSONValue = ["refreshToken": .string(account.refreshToken)]
        let responses = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
            for index in 0..<100 { group.addTask { try await copies[index % 2].post("/auth/refresh", body) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(responses.allSatisfy { $0.status == 200 })
        let successors = Set(responses.compactMap { $0.json["refreshToken"]?.stringValue })
        #expect(successors.count == 1)
        #expect(Set(responses.compactMap { $0.json["accessToken"]?.stringValue }).count == 100)
        let successor = try #require(successors.first)
        #expect(try await copies[1].post("/auth/refresh", ["refreshToken": .string(successor)]).status == 200)
        // What came before has been used for good now: whoever shows it has a copy, and nobody keeps anything.
        #expect(try await copies[0].post("/auth/refresh", body).status == 401)
        for response in responses.prefix(10) {
            let token = response.json["accessToken"]?.stringValue
            #expect(try await copies[1].get("/auth/me", bearer: token).status == 401)
        }
    }

    @Test func `a refresh that races a sign-out leaves nothing alive`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let copies = installation.copies.map(\.http)
        let account = try await copies[0].signUp()
        for _ in 0..<50 {
            let session = try await copies[0].signIn(account, rotates: true)
            let body: JSONValue = ["refreshToken": .string(session.refreshToken)]
            async let refresh = copies[0].post("/auth/refresh", body)
            async let logout = copies[1].post("/auth/logout", body)
            let (refreshed, ended) = try await (refresh, logout)
            #expect(ended.status == 204)
            let tokens = ["accessToken", "refreshToken"].compactMap { refreshed.json[$0]?.stringValue }
            #expect(tokens.count == (refreshed.status == 200 ? 2 : 0))
            for token in tokens + [session.accessToken, session.refreshToken] {
                #expect(try await copies[0].introspect(token, backend).text == #"{"active":false}"#)
            }
        }
    }
}
