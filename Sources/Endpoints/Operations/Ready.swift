import HTTP
import Identity
import Postgres
import Redis
import Routing
import Text

extension Operations {
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
            async let postgresOnAll = onAllLoops { await Self.state(of: $0.postgres) }
            async let redisOnAll = onAllLoops { await Self.askRedis($0) }
            let (postgres, answers) = await (postgresOnAll.max() ?? .ok, redisOnAll)
            let redis = answers.map(\.state).max() ?? .ok
            let hasKeys = keys.value != nil
            let ready = postgres == .ok && redis == .ok && hasKeys && !phase.drains
            return Self.response(ready ? "ready" : phase.drains ? "draining" : "unavailable", ready: ready) { writer in
                writer.member("postgres", postgres.rawValue)
                writer.member("redis", redis.rawValue)
                writer.member("signing_keys", hasKeys ? "ok" : "unavailable")
                // No reason to turn away: it is Redis that dates tokens. A copy that is off cannot tell good id tokens of providers from old ones.
                if answers.contains(where: \.isSkewed) { writer.member("clock", "skewed") }
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

        /// How a store is, the worst last.
        private enum State: String, CaseIterable, Comparable {
            case ok
            /// It answers what is read, and refuses what is written: it is full, for example.
            case readOnly = "read_only"
            case unavailable

            static func < (one: State, other: State) -> Bool {
                allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
            }
        }

        private func onAllLoops<Answer: Sendable>(
            _ check: @escaping @Sendable (Services) async -> Answer
        ) async -> [Answer] {
            await withTaskGroup(of: Answer.self) { group in
                for services in loops { group.addTask { await check(services) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }

        private static func state(of postgres: PostgresPool) async -> State {
            do throws(PostgresError) {
                try await postgres.ping()
                return await postgres.refusesWrites ? .readOnly : .ok
            } catch {
                return .unavailable
            }
        }

        private struct RedisAnswer: Sendable {
            let state: State
            /// Whether its clock is off this copy's.
            let isSkewed: Bool

            init(_ state: State, isSkewed: Bool = false) {
                self.state = state
                self.isSkewed = isSkewed
            }
        }

        /// By the question for its time, which only a server that serves answers.
        private static func askRedis(_ services: Services) async -> RedisAnswer {
            let asked = services.clock.now
            do throws(RedisError) {
                let reply = try await services.redis.send(RedisCommand("TIME"))
                guard let offset = ClockOffset(redisTime: reply, asked: asked, answered: services.clock.now) else {
                    return RedisAnswer(.unavailable)
                }
                let state = await services.redis.refusesWrites ? State.readOnly : .ok
                return RedisAnswer(state, isSkewed: services.clock.isExceeded(by: offset))
            } catch {
                return RedisAnswer(.unavailable)
            }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Should requests come here?",
                responses: [
                    .json(.ok, "They should.", report), .json(.serviceUnavailable, "They should not.", report),
                ])
        }

        private static let report = Schema.object([
            .required("status", .choice(["ready", "draining", "unavailable"])), .optional("postgres", storeState),
            .optional("redis", storeState), .optional("signing_keys", state),
            .optional("clock", .constant("skewed").described("Only where this copy's clock is off that of Redis.")),
        ]).named("Readiness")

        private static let storeState = Schema.choice(State.allCases.map(\.rawValue))
        private static let state = Schema.choice(["ok", "unavailable"])
    }
}
