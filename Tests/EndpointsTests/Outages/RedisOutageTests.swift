import Redis
import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .needsOwnRedis, .timeLimit(.minutes(5)))
struct RedisOutageTests {
    @Test func `without Redis nothing is guessed, and all of it comes back by itself`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (copy, server) = (installation.copies[0], try installation.server)
            let backend = try await installation.backend()
            let account = try await server.signUp()
            #expect(try await server.introspect(account.accessToken, backend).json["active"] == true)
            redis.stop()
            for _ in 0..<3 {
                for response in try await server.answersFromRedis(account, backend) { expectUnavailable(response) }
            }
            #expect(try await copy.operations.get("/health/live").status == 200)
            let ready = try await copy.operations.get("/health/ready")
            #expect(ready.status == 503)
            #expect(ready.value("Retry-After") == "1")
            #expect(ready.text == #"{"status":"unavailable","postgres":"ok","redis":"unavailable","signing_keys":"ok"}"#)
            #expect(try await server.get("/.well-known/jwks.json").status == 200)
            let metrics = try await copy.operations.get("/metrics").text
            #expect(metrics.contains("\nkidoban_introspections_total{result=\"inactive\"} 0\n"))
            #expect(metrics.contains("\nkidoban_introspections_total{result=\"unavailable\"} 6\n"))
            try redis.start()
            try await eventually { try await copy.operations.get("/health/ready").status == 200 }
            // It came back empty, and now that is known and not guessed.
            try await eventually { try await server.introspect(account.accessToken, backend).text == #"{"active":false}"# }
            let again = try await server.signIn(account)
            #expect(try await server.introspect(again.accessToken, backend).json["active"] == true)
        }
    }

    @Test func `with a full Redis tokens are as good as before, and the server says that it is not ready`() async throws {
        let redis = try TestRedis(["--maxmemory-policy", "noeviction"])
        try await Installation(redisURL: redis.url).run { installation in
            let (copy, server) = (installation.copies[0], try installation.server)
            let backend = try await installation.backend()
            let account = try await server.signUp()
            try redis.command("CONFIG SET maxmemory 1")
            try await eventually { try await copy.operations.get("/health/ready").status == 503 }
            let ready = try await copy.operations.get("/health/ready")
            #expect(ready.text == #"{"status":"unavailable","postgres":"ok","redis":"read_only","signing_keys":"ok"}"#)
            #expect(try await server.introspect(account.accessToken, backend).json["active"] == true)
            try redis.command("CONFIG SET maxmemory 0")
            try await eventually { try await copy.operations.get("/health/ready").status == 200 }
            _ = try await server.signIn(account)
        }
    }

    @Test func `an account that could not be signed in is not made`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let server = try installation.server
            redis.stop()
            let body: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
            expectUnavailable(try await server.post("/auth/register", body))
            try redis.start()
            try await eventually { try await server.post("/auth/register", body).status == 201 }
        }
    }

    @Test func `while Redis stands still nothing is guessed either, and then every token is as good as before`() async throws {
        let redis = try TestRedis()
        let installation = try Installation(redisURL: redis.url) { configuration in
            configuration.redis.commandDeadline = .seconds(1)
            configuration.redis.connectTimeout = .seconds(1)
        }
        try await installation.run { installation in
            let (copy, server) = (installation.copies[0], try installation.server)
            let backend = try await installation.backend()
            // One second is little for an answer of Redis where much else is going on.
            let body: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
            var signUp = try await server.post("/auth/register", body)
            try await eventually {
                if signUp.status == 503 { signUp = try await server.post("/auth/register", body) }
                return signUp.status != 503
            }
            let account = try Account(signUp)
            redis.pause()
            for response in try await server.answersFromRedis(account, backend) { expectUnavailable(response) }
            #expect(try await copy.operations.get("/health/ready").status == 503)
            redis.resume()
            try await eventually {
                let response = try await server.introspect(account.accessToken, backend)
                #expect(response.status == 503 || response.json["active"] == true)
                return response.status == 200
            }
            try await eventually { try await copy.operations.get("/health/ready").status == 200 }
            try await eventually {
                let refresh = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
                #expect(refresh.status == 200 || refresh.status == 503)
                return refresh.status == 200
            }
        }
    }
}
