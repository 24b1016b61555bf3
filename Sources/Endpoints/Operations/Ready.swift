import HTTP
import Identity
import Postgres
import Redis
import Text

/// `GET /health/ready`: whether a balancer should send requests here. Asks PostgreSQL and Redis each time, by the connections of
/// every loop, because any of them may get the next request. From the first sign of the end on it is false, and nobody is asked: a
/// store that hangs must not keep a balancer from learning it before the listeners close.
struct Ready: Sendable {
    let loops: [Services]
    /// Of the loop that answers, which gets them last.
    let keys: LoopSlot<KeyRing?>
    let phase: ServerPhase

    func answer() async -> Response {
        guard !phase.drains else { return Self.response("draining", ready: false) { _ in } }
        async let postgresOnAll = onAllLoops { await Self.postgresAnswers($0.postgres) }
        async let redisOnAll = onAllLoops { await Self.askRedis($0) }
        let (postgres, clocks) = await (!postgresOnAll.contains(false), redisOnAll)
        let redis = !clocks.contains(.unknown)
        let hasKeys = keys.value != nil
        let ready = postgres && redis && hasKeys && !phase.drains
        return Self.response(ready ? "ready" : phase.drains ? "draining" : "unavailable", ready: ready) { writer in
            writer.member("postgres", postgres ? "ok" : "unavailable")
            writer.member("redis", redis ? "ok" : "unavailable")
            writer.member("signing_keys", hasKeys ? "ok" : "unavailable")
            // No reason to turn away: it is Redis that dates tokens. A copy that is off cannot tell good id tokens of providers from old ones.
            if clocks.contains(.skewed) { writer.member("clock", "skewed") }
        }
    }

    private static func response(_ status: String, ready: Bool, _ parts: (inout JSONWriter) -> Void) -> Response {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("status", status)
        parts(&writer)
        writer.endObject()
        return ready
            ? .json(.ok, writer, fields: .notStored)
            : .json(.serviceUnavailable, writer, fields: .retry(after: .seconds(1)))
    }

    private func onAllLoops<Answer: Hashable & Sendable>(
        _ check: @escaping @Sendable (Services) async -> Answer
    ) async -> Set<Answer> {
        await withTaskGroup(of: Answer.self) { group in
            for services in loops { group.addTask { await check(services) } }
            return await group.reduce(into: []) { $0.insert($1) }
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

    private enum RedisClock: Sendable {
        /// Redis does not answer.
        case unknown
        case agrees, skewed
    }

    /// By the question for its time, which only a server that serves answers.
    private static func askRedis(_ services: Services) async -> RedisClock {
        let asked = services.clock.now
        do throws(RedisError) {
            let reply = try await services.redis.send(RedisCommand("TIME"))
            guard let offset = ClockOffset(redisTime: reply, asked: asked, answered: services.clock.now) else { return .unknown }
            return services.clock.isExceeded(by: offset) ? .skewed : .agrees
        } catch {
            return .unknown
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
        .required("status", .choice(["ready", "draining", "unavailable"])), .optional("postgres", state),
        .optional("redis", state), .optional("signing_keys", state),
        .optional("clock", .constant("skewed").described("Only where this copy's clock is off that of Redis.")),
    ]).named("Readiness")

    private static let state = Schema.choice(["ok", "unavailable"])
}
