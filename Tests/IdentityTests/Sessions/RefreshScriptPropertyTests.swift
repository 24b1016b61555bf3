import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Holds `RefreshRotation` and the script that is the same rule in Redis together, over random histories.
    @Suite struct RefreshScriptPropertyTests {
        private static let policies: [RefreshPolicy] = [
            .standard, .strict,
            RefreshPolicy(grace: .milliseconds(5), recovery: .milliseconds(11)),
            RefreshPolicy(grace: .milliseconds(10), recovery: .milliseconds(2)),
        ]

        /// What the clock does between two requests, in milliseconds.
        private static let jumps: [Int64] = [
            -3, 0, 1, 5, 6, 10, 11, 30_000, 59_999, 60_000, 60_001, 86_399_999, 86_400_000,
        ]

        @Test func `rule and script decide the same in every history`() async throws {
            let fresh = UInt64.random(in: 10_000 ... .max - 1_000)
            let seeds = Array(0..<3_000 as Range<UInt64>) + Array(fresh..<fresh + 1_000)
            try await World.run { world in
                let lanes = 8
                let copy = world.a
                let met = try await withThrowingTaskGroup(of: Set<String>.self) { group in
                    for lane in 0..<lanes {
                        group.addTask {
                            try await copy.run { parts in
                                var met: Set<String> = []
                                for index in stride(from: lane, to: seeds.count, by: lanes) {
                                    var history = try History(seed: seeds[index], parts.redis)
                                    met.formUnion(try await history.run())
                                }
                                return met
                            }
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
                }
                #expect(met == ["ahead", "rotate", "replay", "recover", "keep", "reuse", "exhausted"])
            }
        }

        /// A session, as the rule has it and as Redis has it.
        private struct History {
            private let seed: UInt64
            private let redis: RedisConnection
            private let policy: RefreshPolicy
            private let store: SessionStore
            private let session: Session
            private let grant: GrantID
            private var random: SeededGenerator
            private var now = Sample.now
            private var rotation: RefreshRotation
            /// The access tokens that may be good, by the generation they were issued with.
            private var tokens: [(issued: IssuedAccessToken, generation: UInt32)] = []

            init(seed: UInt64, _ redis: RedisConnection) throws {
                self.seed = seed
                self.redis = redis
                var random = SeededGenerator(seed: seed)
                policy = RefreshScriptPropertyTests.policies[Int(seed % 4)]
                store = SessionStore(redis: redis, policy: policy, clock: .callers)
                let id = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
                rotation = RefreshRotation(mode: Bool.random(using: &random) ? .rotating : .static)
                // Half of the histories are those of a further grant, beside one that nothing happens to.
                let client = World.clientID("app")
                let other = Grant(
                    id: GrantID(seed % 8 < 4 ? 0 : 9), clientID: client, refresh: RefreshRotation(mode: .rotating))
                grant = seed % 8 < 4 ? GrantID(4_000_000_000) : .first
                session = try Sample.session(
                    SessionID(random: id), refresh: grant == .first ? rotation : other.refresh, client: "app",
                    further: grant == .first ? [other] : [Grant(id: grant, clientID: client, refresh: rotation)])
                self.random = random
            }

            /// Goes through the history, and returns which decisions it has met.
            mutating func run() async throws -> Set<String> {
                var met: Set<String> = []
                let first = token(0)
                let begun = try await store.create(
                    session, idle: SessionLifetime.standard.idle, accessToken: grant == .first ? first : nil, at: now)
                #expect(begun != nil, "seed \(seed)")
                if grant != .first {
                    let listed = try await store.list(first, of: grant, in: session.id, at: now)
                    #expect(listed == [], "seed \(seed)")
                }
                tokens.append((first, rotation.generation))
                if Int.random(in: 0..<20, using: &random) == 0 { try await jumpToLastGenerations() }
                for number in 1...12 {
                    let decision = try await step(number)
                    met.insert(decision)
                    if decision == "reuse" || decision == "exhausted" { break }
                }
                _ = try await redis.send(
                    RedisCommand("DEL", SessionRecord.key(session.id), SessionRecord.tokensKey(session.id)))
                return met
            }

            private func token(_ number: Int) -> IssuedAccessToken {
                IssuedAccessToken(
                    hash: AccessTokenHash(of: "\(session.id) \(number)"), expiresAt: now.adding(.seconds(900)))
            }

            /// To where generations end.
            private mutating func jumpToLastGenerations() async throws {
                let generation = UInt32.max - UInt32.random(in: 0...3, using: &random)
                // The first rotation ends `static` for good, so only a rotating session has a latest step.
                rotation = RefreshRotation(
                    mode: rotation.mode, generation: generation,
                    lastStep: rotation.mode == .static ? nil : RefreshRotation.Step(parent: generation - 1, at: now))
                let grants = session.grants.map { old in
                    old.id == grant ? Grant(id: grant, clientID: old.clientID, refresh: rotation) : old
                }
                let moved = Session(
                    id: session.id, userID: session.userID, owner: session.owner, clientID: session.clientID,
                    methods: session.methods, device: session.device, createdAt: session.createdAt,
                    authenticatedAt: session.authenticatedAt, absoluteEnd: session.absoluteEnd, lastUsedAt: session.lastUsedAt,
                    salt: session.salt, grants: grants)
                try await store.replace(session.id, with: SessionRecord.bytes(of: moved, accessToken: nil))
                tokens = []
            }

            /// One request, put to both.
            private mutating func step(_ number: Int) async throws -> String {
                now = now.adding(.milliseconds(RefreshScriptPropertyTests.jumps.randomElement(using: &random) ?? 0))
                let offset = [0, 0, 0, -1, -1, -1, -2, 1, 2].randomElement(using: &random) ?? 0
                let presented = UInt32(clamping: Int64(rotation.generation) + Int64(offset))
                let wantsRotation = Int.random(in: 0..<4, using: &random) == 0
                let before = rotation
                let decision = before.decision(
                    presenting: presented, at: now, policy: policy, wantsRotation: wantsRotation)
                let issued = token(number)
                let reply = try await store.refresh(
                    RefreshSessionScript.Request(
                        sessionID: session.id, grant: grant, generation: presented, wantsRotation: wantsRotation,
                        accessToken: issued),
                    idle: SessionLifetime.standard.idle, at: now)
                check(reply, decision, before, presented)
                try await checkState(after: decision)
                if let after = before.applying(decision, at: now) {
                    rotation = after
                    tokens.append((issued, after.generation))
                }
                return Self.name(of: decision, presented, before)
            }

            private mutating func check(
                _ reply: RefreshSessionScript.Reply, _ decision: RefreshRotation.Decision, _ before: RefreshRotation,
                _ presented: UInt32
            ) {
                tokens = tokens.filter { $0.issued.expiresAt.adding(.seconds(300)) > now }
                let note: Comment = "seed \(seed): \(before), presented \(presented)"
                let revoked = Set(reply.revoked)
                switch decision {
                case .rotate(let next):
                    #expect(reply.outcome == .issued(.rotate, generation: next), note)
                    #expect(revoked.isEmpty, note)
                case .keep:
                    #expect(reply.outcome == .issued(.keep, generation: before.generation), note)
                    #expect(revoked.isEmpty, note)
                case .replay(let successor):
                    #expect(reply.outcome == .issued(.replay, generation: successor), note)
                    #expect(revoked == hashes(after: before.lastStep?.parent, before: successor), note)
                case .recover(let next, let killed):
                    #expect(reply.outcome == .issued(.recover, generation: next), note)
                    #expect(revoked == hashes(after: before.lastStep?.parent, before: next), note)
                    #expect(revoked.isSuperset(of: tokens.filter { $0.generation == killed }.map(\.issued.hash)), note)
                case .reuse:
                    #expect(reply.outcome == .reuse, note)
                    #expect(revoked.isSuperset(of: tokens.map(\.issued.hash)), note)
                }
            }

            /// The tokens that were issued with a skipped generation.
            private func hashes(after parent: UInt32?, before generation: UInt32) -> Set<AccessTokenHash> {
                Set(tokens.filter { $0.generation > parent ?? 0 && $0.generation < generation }.map(\.issued.hash))
            }

            private func checkState(after decision: RefreshRotation.Decision) async throws {
                let expected = rotation.applying(decision, at: now)
                switch try await store.record(session.id, at: now) {
                case .live(let stored):
                    #expect(stored.grant(grant)?.refresh == expected, "seed \(seed)")
                    // The other grant is as it was.
                    let others = stored.grants.filter { $0.id != grant }
                    #expect(others == session.grants.filter { $0.id != grant }, "seed \(seed)")
                case .ended(let tombstone):
                    #expect(expected == nil && tombstone.reason == .refreshReused, "seed \(seed)")
                case .missing, .malformed: Issue.record("the record is gone or damaged, seed \(seed)")
                }
            }

            private static func name(
                of decision: RefreshRotation.Decision, _ presented: UInt32, _ before: RefreshRotation
            ) -> String {
                switch decision {
                case .rotate: presented > before.generation ? "ahead" : "rotate"
                case .replay: "replay"
                case .recover: "recover"
                case .keep: "keep"
                case .reuse: max(presented, before.generation) == .max ? "exhausted" : "reuse"
                }
            }
        }
    }
}
