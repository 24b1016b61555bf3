import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Holds `LimitRule` and the scripts that are the same rule in Redis together, over random histories.
    @Suite struct LimitScriptPropertyTests {
        private static let take = ScriptClock.callers.script(name: "test_limit", source: LimitScript.source)
        private static let refund = ScriptClock.callers.script(
            name: "test_limit_refund", source: LimitRefundScript.source)

        /// Slow ones, so that nothing runs out by Redis's own clock while a history is played.
        private static let budgets = [
            Budget(1, per: .seconds(1000)), Budget(2, per: .seconds(7000)), Budget(3, per: .seconds(60_000)),
            Budget(7, per: .seconds(10_000)),
            Budget(10, per: .seconds(90_000)), Budget(13, per: .seconds(604_800)),
        ]

        /// What the clock does between two attempts, in milliseconds.
        private static let jumps: [Int64] = [
            -5_000_000, -1, 0, 0, 0, 1, 999_999, 1_000_000, 1_428_571, 1_428_572, 3_500_000, 9_000_000, 100_000_000,
        ]

        @Test func `rule and scripts decide the same in every history`() async throws {
            let fresh = UInt64.random(in: 10_000 ... .max - 1_000)
            let seeds = Array(0..<600 as Range<UInt64>) + Array(fresh..<fresh + 400)
            try await World.run { world in
                let met = try await world.a.run { parts in
                    var met: Set<String> = []
                    for seed in seeds {
                        var history = History(seed: seed, parts.redis)
                        met.formUnion(try await history.run())
                    }
                    return met
                }
                #expect(met == ["allowed", "refused", "skipped", "refund", "reset", "stranger", "address", "device", "both"])
            }
        }

        private struct History {
            let seed: UInt64
            let redis: RedisConnection
            var random: SeededGenerator
            var now = Sample.now
            var buckets: [LimitRule.Bucket]
            /// Of the attempts that were allowed, by bucket; nil where one did not count.
            var marks: [[LimitRule.Mark?]] = []
            var met: Set<String> = []

            init(seed: UInt64, _ redis: RedisConnection) {
                self.seed = seed
                self.redis = redis
                var random = SeededGenerator(seed: seed)
                let count = Int.random(in: 1...5, using: &random)
                buckets = (0..<count).map { _ in
                    LimitRule.Bucket(
                        GCRA(LimitScriptPropertyTests.budgets.randomElement(using: &random) ?? Budget(1, per: .seconds(1))),
                        LimitCondition.allCases.randomElement(using: &random) ?? .always)
                }
                self.random = random
            }

            private var keys: [String] { buckets.indices.map { "limit:test:\(seed):\($0)" } }
            private var known: String { "limit:known:\(seed)" }

            mutating func run() async throws -> Set<String> {
                for _ in 0..<12 {
                    now = now.adding(.milliseconds(LimitScriptPropertyTests.jumps.randomElement(using: &random) ?? 0))
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0: try await reset()
                    case 1..<4: try await refund()
                    default: try await attempt()
                    }
                    try await check()
                }
                var command = RedisCommand("DEL", known)
                for key in keys { command.append(key) }
                _ = try await redis.send(command)
                return met
            }

            private mutating func attempt() async throws {
                let recognition = LimitRecognition(
                    address: Bool.random(using: &random), device: Bool.random(using: &random))
                try await know(recognition)
                let arguments = LimitScript.arguments(
                    buckets.map { ($0.gcra, $0.condition) }, LimitScript.Members(address: "a", device: "d"), at: now)
                let reply = try await run(LimitScriptPropertyTests.take, keys + [known], arguments)
                guard case .bytes(let bytes) = reply, let told = LimitScript.verdicts(bytes) else {
                    Issue.record("no reply, seed \(seed)")
                    return
                }
                let expected = LimitRule.attempt(&buckets, recognition, at: now.microseconds)
                #expect(told.map(\.0) == expected, "seed \(seed)")
                if !expected.contains(where: \.isRefusal) {
                    let made = buckets.indices.map { index in
                        expected[index] == .skipped
                            ? nil : LimitRule.Mark(arrival: buckets[index].arrival ?? 0, birth: buckets[index].birth)
                    }
                    #expect(made.indices.allSatisfy { made[$0] == nil || made[$0] == told[$0].1 }, "seed \(seed)")
                    marks.append(made)
                }
                for verdict in expected {
                    switch verdict {
                    case .skipped: met.insert("skipped")
                    case .allowed: met.insert("allowed")
                    case .refused: met.insert("refused")
                    }
                }
                met.insert(Self.name(recognition))
            }

            private static func name(_ recognition: LimitRecognition) -> String {
                switch (recognition.address, recognition.device) {
                case (true, true): "both"
                case (true, false): "address"
                case (false, true): "device"
                case (false, false): "stranger"
                }
            }

            /// Has Redis know the caller so, and by what was forgotten at this very moment.
            private func know(_ recognition: LimitRecognition) async throws {
                let (end, later) = ("\(now.milliseconds)", "\(now.milliseconds + 1)")
                _ = try await redis.send(
                    RedisCommand(
                        "ZADD", known, recognition.address ? later : end, "a", recognition.device ? later : end, "d"))
            }

            /// Of any attempt, also one that has been given back before, or is long over.
            private mutating func refund() async throws {
                guard let marks = marks.randomElement(using: &random) else { return }
                met.insert("refund")
                let given = buckets.indices.compactMap { index in marks[index].map { (index, $0) } }
                let arguments = LimitRefundScript.arguments(given.map { (buckets[$0].gcra, $1) }, nil, at: now)
                _ = try await run(LimitScriptPropertyTests.refund, given.map { keys[$0.0] }, arguments.map { [UInt8]($0.utf8) })
                for (index, mark) in given { buckets[index].refund(mark, at: now.microseconds) }
            }

            /// Somebody empties a bucket.
            private mutating func reset() async throws {
                met.insert("reset")
                let index = Int.random(in: buckets.indices, using: &random)
                _ = try await redis.send(RedisCommand("DEL", keys[index]))
                buckets[index].arrival = nil
            }

            /// That Redis remembers what the rule remembers, and for no longer than the window. What is nearly over ends here for both.
            private mutating func check() async throws {
                for index in buckets.indices {
                    let (bucket, key) = (buckets[index], keys[index])
                    let life = try await redis.send(RedisCommand("PTTL", key)).integerValue ?? -1
                    #expect(life <= (bucket.gcra.window + 999) / 1000, "seed \(seed): \(life)")
                    if let arrival = bucket.arrival, arrival - now.microseconds > 500_000_000 {
                        let stored = try await redis.send(RedisCommand("GET", key)).text
                        #expect(stored == "\(arrival).\(bucket.birth)" && life > 0, "seed \(seed)")
                    } else {
                        _ = try await redis.send(RedisCommand("DEL", key))
                        buckets[index].arrival = nil
                    }
                }
            }

            private func run(_ script: RedisScript, _ keys: [String], _ arguments: [[UInt8]]) async throws -> RedisReply {
                try await redis.run(script, keys: keys, arguments: arguments)
            }
        }
    }
}
