import Server
import TestSupport
import Testing
import Text

/// What becomes of a client's changes on a running server that remembers clients for no time at all.
@Suite(.needsServers)
struct ClientChangesTests {
    private func withInstallation(_ body: (Installation, Account) async throws -> Void) async throws {
        try await Installation { $0.clients.cacheLifetime = .zero }.run { installation in
            try await body(installation, installation.server.signUp())
        }
    }

    @Test func `a secret that has been replaced is of no use, and the new one is`() async throws {
        try await withInstallation { installation, account in
            let old = try await installation.backend()
            #expect(try await installation.server.introspect(account.accessToken, old).status == 200)
            let output = try await installation.command(["client", "rotate", old.id, "--now"])
            let secret = try #require(output.split(separator: "\n").last?.split(separator: "=").last.map(String.init))
            #expect(secret != old.secret)
            #expect(try await installation.server.introspect(account.accessToken, old).status == 401)
            let new = Credentials(id: old.id, secret: secret)
            #expect(try await installation.server.introspect(account.accessToken, new).json["active"] == true)
        }
    }

    @Test func `after a rotation both secrets are good at once, at copies that remember the old one`() async throws {
        try await Installation { $0.clients.cacheLifetime = .seconds(3600) }.run(copies: 2) { installation in
            let account = try await installation.server.signUp()
            let old = try await installation.backend()
            func isAccepted(_ credentials: Credentials) async throws -> [Bool] {
                var answers: [Bool] = []
                for copy in installation.copies {
                    answers.append(try await copy.http.introspect(account.accessToken, credentials).json["active"] == true)
                }
                return answers
            }
            #expect(try await isAccepted(old) == [true, true])
            let output = try await installation.command(["client", "rotate", old.id])
            let secret = try #require(output.split(separator: "\n").last?.split(separator: "=").last.map(String.init))
            let new = Credentials(id: old.id, secret: secret)
            #expect(try await isAccepted(new) == [true, true])
            #expect(try await isAccepted(old) == [true, true])
            #expect(try await isAccepted(Credentials(id: old.id, secret: "kds_wrong")) == [false, false])
        }
    }

    @Test func `a client that is not the team's own learns no address by its own tokens without the scope`() async throws {
        try await withInstallation { installation, _ in
            let client = try await installation.relyingParty("--first-party", "--introspect")
            let (browser, _) = try await installation.browser()
            let credentials = try #require(client.credentials)
            let backend = try await installation.backend()
            let server = try installation.server
            for scope in ["openid", "openid email"] {
                let tokens = try await client.tokens(browser, [("scope", scope)])
                let presented = ["access_token", "refresh_token"].compactMap { tokens[$0]?.stringValue }
                try #require(presented.count == 2)
                func learns(_ asking: Credentials) async throws -> [Bool] {
                    var learns: [Bool] = []
                    for token in presented {
                        let answer = try await server.introspect(token, asking).json
                        let isNamed = answer["username"] != nil
                        #expect((answer["email_verified"] != nil) == isNamed)
                        learns.append(isNamed)
                    }
                    let verified = try await server.verify(presented[0], asking)
                    #expect(verified.status == 204, "\(verified.text)")
                    #expect((verified.value("X-Auth-Email-Verified") != nil) == (verified.value("X-Auth-Email") != nil))
                    return learns + [verified.value("X-Auth-Email") != nil]
                }
                #expect(try await learns(credentials) == [true, true, true])
                _ = try await installation.command(["client", "update", client.id, "--third-party"])
                let isTold = scope == "openid email"
                #expect(try await learns(credentials) == [isTold, isTold, isTold], "\(scope)")
                // For a backend it depends on the audience.
                #expect(try await learns(backend) == [true, false, true])
                _ = try await installation.command(["client", "update", client.id, "--first-party"])
            }
        }
    }

    @Test func `a client that has been removed is unknown`() async throws {
        try await withInstallation { installation, account in
            let backend = try await installation.backend()
            #expect(try await installation.server.introspect(account.accessToken, backend).status == 200)
            #expect(try await installation.command(["client", "delete", backend.id]) == "Deleted \(backend.id)\n")
            #expect(try await installation.server.introspect(account.accessToken, backend).status == 401)
        }
    }

    @Test func `a client that was asked for too early is known when it is there`() async throws {
        try await withInstallation { installation, account in
            let early = Credentials(id: "early", secret: "x")
            #expect(try await installation.server.introspect(account.accessToken, early).status == 401)
            let output = try await installation.command(["client", "add", "Early", "--id", "early", "--introspect"])
            let secret = try #require(output.split(separator: "\n").last?.split(separator: "=").last.map(String.init))
            let known = Credentials(id: "early", secret: secret)
            #expect(try await installation.server.introspect(account.accessToken, known).json["active"] == true)
        }
    }
}

/// What becomes of them at copies that would remember clients for an hour.
@Suite(.needsServers)
struct ClientChangesOnCopiesTests {
    private func statuses(_ installation: Installation, _ account: Account, _ client: Credentials) async throws -> [Int] {
        var statuses: [Int] = []
        for copy in installation.copies {
            statuses.append(try await copy.http.introspect(account.accessToken, client).status)
        }
        return statuses
    }

    @Test(.timeLimit(.minutes(5)))
    func `every copy hears that a client is disabled, enabled or deleted, and that its secret has ended`() async throws {
        try await Installation { $0.clients.cacheLifetime = .seconds(3600) }.run(copies: 2) { installation in
            let account = try await installation.server.signUp()
            let backend = try await installation.backend()
            func expect(_ expected: Int, _ client: Credentials) async throws {
                try await eventually { try await statuses(installation, account, client) == [expected, expected] }
            }
            try await expect(200, backend)
            _ = try await installation.command(["client", "disable", backend.id])
            try await expect(401, backend)
            _ = try await installation.command(["client", "enable", backend.id])
            try await expect(200, backend)
            let output = try await installation.command(["client", "rotate", backend.id, "--now"])
            try await expect(401, backend)
            let secret = try #require(output.split(separator: "\n").last?.split(separator: "=").last.map(String.init))
            let renewed = Credentials(id: backend.id, secret: secret)
            try await expect(200, renewed)
            _ = try await installation.command(["client", "delete", backend.id])
            try await expect(401, renewed)
        }
    }
}
