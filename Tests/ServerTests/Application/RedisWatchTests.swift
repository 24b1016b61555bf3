import TestSupport
import Testing
import Text

@testable import Server

/// What a running server says of a Redis that may forget.
@Suite(.needsProgram, .enabled(if: TestRedis.isAvailable, "there is no redis-server on this machine"), .timeLimit(.minutes(10)))
struct RedisWatchTests {
    private func serve(_ redis: TestRedis, _ body: (RunningServer) async throws -> Void) async throws {
        let environment = try TestEnvironment()
        let server = try await RunningServer(environment.with(["REDIS_URL": redis.url]))
        try await eventually { try await server.isReady() }
        try await body(server)
        // Both stores are there to the end.
        withExtendedLifetime((environment, redis)) {}
    }

    private func metrics(_ server: RunningServer) async throws -> [String] {
        try await server.operations.send("GET", "/metrics").text.split(separator: "\n").map(String.init)
    }

    @Test func `a server warns of a Redis that evicts and keeps nothing on disk, and serves`() async throws {
        try await serve(try TestRedis(["--maxmemory-policy", "allkeys-lru"])) { server in
            try await eventually { try server.log.contains(#""check":"redis-persistence""#) }
            let warnings = try server.log.split(separator: "\n").filter { $0.contains("Redis may lose what it has to keep") }
            #expect(warnings.count == 2)
            #expect(warnings.allSatisfy { $0.contains(#""level":"warning""#) && $0.contains(#""remedy":"CONFIG SET"#) })
            #expect(warnings.contains { $0.contains("allkeys-lru") })
            let metrics = try await metrics(server)
            #expect(metrics.contains(#"kidoban_redis_may_forget{check="redis-policy"} 1"#))
            #expect(metrics.contains(#"kidoban_redis_may_forget{check="redis-persistence"} 1"#))
        }
    }

    @Test func `a Redis that keeps what it is given is nothing to speak of`() async throws {
        try await serve(try TestRedis(["--maxmemory-policy", "noeviction", "--appendonly", "yes"])) { server in
            try await eventually { try server.log.contains(#""message":"ready""#) }
            #expect(try !server.log.contains("Redis may lose"))
            let metrics = try await metrics(server)
            #expect(metrics.contains(#"kidoban_redis_may_forget{check="redis-policy"} 0"#))
            #expect(metrics.contains(#"kidoban_redis_may_forget{check="redis-persistence"} 0"#))
        }
    }

    @Test func `a Redis that does not tell its settings is not said to forget`() async throws {
        let redis = try TestRedis(["--user", "default", "on", "nopass", "~*", "&*", "+@all", "-info", "-config"])
        try await serve(redis) { server in
            try await eventually { try server.log.contains(#""message":"ready""#) }
            #expect(try server.log.contains("Redis does not tell"))
            #expect(try !server.log.contains("Redis may lose"))
            #expect(try await !metrics(server).contains { $0.hasPrefix("kidoban_redis_may_forget{") })
        }
    }
}
