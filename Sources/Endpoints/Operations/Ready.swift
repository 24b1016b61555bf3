import HTTP
import Identity
import Postgres
import Redis
import Text

/// `GET /health/ready`: whether a balancer should send requests here. Asks PostgreSQL and Redis each time, by the connections of
/// every loop, because any of them may get the next request; false from the first sign of the end.
struct Ready: Sendable {
    let loops: [Services]
    /// Of the loop that answers, which gets them last.
    let keys: KeyRingSlot
    let phase: ServerPhase

    func answer() async -> Response {
        async let postgresOnAll = onAllLoops { await Self.postgresAnswers($0.postgres) }
        async let redisOnAll = onAllLoops { await Self.redisAnswers($0.redis) }
        let (postgres, redis) = await (postgresOnAll, redisOnAll)
        let hasKeys = keys.ring != nil
        let ready = postgres && redis && hasKeys && !phase.drains
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("status", ready ? "ready" : phase.drains ? "draining" : "unavailable")
        writer.member("postgres", postgres ? "ok" : "unavailable")
        writer.member("redis", redis ? "ok" : "unavailable")
        writer.member("signing_keys", hasKeys ? "ok" : "unavailable")
        writer.endObject()
        return ready
            ? .json(.ok, writer, fields: .notStored)
            : .json(.serviceUnavailable, writer, fields: .retry(after: .seconds(1)))
    }

    private func onAllLoops(_ check: @escaping @Sendable (Services) async -> Bool) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for services in loops { group.addTask { await check(services) } }
            return await group.reduce(true) { $0 && $1 }
        }
    }

    private static func postgresAnswers(_ postgres: PostgresPool) async -> Bool {
        do throws(PostgresError) {
            try await postgres.ping()
            return true
        } catch {
            return false
        }
    }

    private static func redisAnswers(_ redis: RedisConnection) async -> Bool {
        do throws(RedisError) {
            return try await redis.send(RedisCommand("PING")) == .status("PONG")
        } catch {
            return false
        }
    }
}

extension Ready {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Should requests come here?",
            responses: [
                .json(.ok, "They should.", report), .json(.serviceUnavailable, "They should not.", report),
            ])
    }

    private static let report = Schema.object([
        .required("status", .choice(["ready", "draining", "unavailable"])), .required("postgres", state),
        .required("redis", state), .required("signing_keys", state),
    ]).named("Readiness")

    private static let state = Schema.choice(["ok", "unavailable"])
}
