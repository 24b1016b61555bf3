import Identity
import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .needsOwnPostgres, .timeLimit(.minutes(5)))
struct PostgresOutageTests {
    @Test(arguments: [TestPostgres.Shutdown.fast, .immediate])
    func `without PostgreSQL tokens are as good as before, and all else waits for it`(_ shutdown: TestPostgres.Shutdown)
        async throws
    {
        let postgres = try TestPostgres()
        try await Installation(databaseURL: postgres.connectionString) { $0.audit.refreshes = .each }.run(copies: 2) {
            installation in
            let backend = try await installation.backend()
            let copies = installation.copies
            let account = try await copies[0].http.signUp()
            // Each loop of each copy has met the client by now: which one gets a connection is the kernel's choice.
            for copy in copies {
                for _ in 0..<60 {
                    #expect(try await copy.http.introspect(account.accessToken, backend).json["active"] == true)
                }
            }
            postgres.stop(shutdown)
            for copy in copies { try await expectTokensOnly(copy, account, backend) }
            try postgres.start()
            for copy in copies {
                try await eventually { try await copy.operations.get("/health/ready").status == 200 }
                try await eventually {
                    try await copy.http.get("/auth/me", bearer: account.accessToken).status == 200
                }
                _ = try await copy.http.signUp()
                _ = try await copy.http.signIn(account)
            }
            // What happened meanwhile is on record, by and by.
            let events = "SELECT count(*) FROM audit_events WHERE kind = 'token_refreshed'"
            try await eventually {
                try TestDatabase.rows(events, on: postgres.connectionString) == [["2"]]
            }
        }
    }

    private func expectTokensOnly(_ copy: Installation.Copy, _ account: Account, _ backend: Credentials) async throws {
        let server = copy.http
        let token: JSONValue = ["refreshToken": .string(account.refreshToken)]
        let refresh = try await server.post("/auth/refresh", token)
        #expect(refresh.status == 200)
        let accessToken = refresh.json["accessToken"]?.stringValue ?? ""
        for _ in 0..<10 {
            #expect(try await server.introspect(account.accessToken, backend).json["active"] == true)
            #expect(try await server.introspect(accessToken, backend).json["active"] == true)
            #expect(try await server.introspect(account.refreshToken, backend).text == #"{"active":false}"#)
            #expect(try await server.introspect("unknown", backend).text == #"{"active":false}"#)
        }
        let login: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
        let newcomer: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
        expectUnavailable(try await server.post("/auth/login", login))
        expectUnavailable(try await server.post("/auth/register", newcomer))
        expectUnavailable(try await server.get("/auth/me", bearer: account.accessToken))
        expectUnavailable(try await server.patch("/auth/me", ["name": "x"], bearer: account.accessToken))
        expectUnavailable(try await server.delete("/auth/me", bearer: account.accessToken))
        // Whether this client exists cannot be told.
        expectUnavailable(try await server.introspect("unknown", Credentials(id: "unheard-of", secret: "x")))
        #expect(try await server.get("/auth/sessions", bearer: account.accessToken).status == 200)
        #expect(try await server.get("/.well-known/jwks.json").status == 200)
        #expect(try await copy.operations.get("/health/live").status == 200)
        let ready = try await copy.operations.get("/health/ready")
        #expect(ready.status == 503)
        #expect(ready.text == #"{"status":"unavailable","postgres":"unavailable","redis":"ok","signing_keys":"ok"}"#)
    }

    @Test(.needsOwnRedis) func `without both a server starts, says that it lives, and waits`() async throws {
        let (postgres, redis) = (try TestPostgres(), try TestRedis())
        postgres.stop(.fast)
        redis.stop()
        try await Installation(databaseURL: postgres.connectionString, redisURL: redis.url).run(copies: 0) { installation in
            let copy = try await installation.launch()
            let application = copy.application
            async let prepared: Void = application.prepare()
            #expect(try await copy.operations.get("/health/live").status == 200)
            for _ in 0..<5 {
                let ready = try await copy.operations.get("/health/ready")
                #expect(ready.status == 503)
                #expect(
                    ready.text
                        == #"{"status":"unavailable","postgres":"unavailable","redis":"unavailable","signing_keys":"unavailable"}"#
                )
            }
            let login: JSONValue = ["email": "a@example.com", "password": .string(Account.password)]
            expectUnavailable(try await copy.http.post("/auth/login", login))
            expectUnavailable(try await copy.http.introspect("unknown", Credentials(id: "backend", secret: "x")))
            expectUnavailable(try await copy.http.get("/.well-known/jwks.json"))
            try postgres.start()
            #expect(try await copy.operations.get("/health/ready").status == 503)
            try redis.start()
            try await eventually { try await copy.operations.get("/health/ready").status == 200 }
            try await prepared
            let account = try await copy.http.signUp()
            let backend = try await installation.backend()
            #expect(try await copy.http.introspect(account.accessToken, backend).json["active"] == true)
        }
    }
}
