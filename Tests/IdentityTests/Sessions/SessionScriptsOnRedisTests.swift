import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What the scripts write, and for how long, beyond what the rule of refreshing says.
    @Suite struct SessionScriptsOnRedisTests {
        private static let day: Int64 = 86_400_000

        private func session(_ byte: UInt8 = 0, lifetime: SessionLifetime = .standard) throws -> Session {
            try Sample.session(
                SessionID(random: [byte] + Array(1..<16)), refresh: RefreshRotation(mode: .static), client: "app",
                lifetime: lifetime)
        }

        private func token(_ number: Int, expiringIn milliseconds: Int64 = 900_000) -> IssuedAccessToken {
            IssuedAccessToken(
                hash: AccessTokenHash(of: "token \(number)"), expiresAt: Sample.now.adding(.milliseconds(milliseconds)))
        }

        private func run(_ body: @escaping @Sendable (SessionStore, RedisConnection) async throws -> Void) async throws {
            try await World.run { world in
                try await world.a.run { parts in
                    try await body(SessionStore(redis: parts.redis, policy: .standard, clock: .callers), parts.redis)
                }
            }
        }

        private static func life(of key: String, _ redis: RedisConnection) async throws -> Int64 {
            try await redis.send(RedisCommand("PTTL", key)).integerValue ?? -1
        }

        /// A refresh with the first token of a session that may have so many access tokens.
        private static func refresh(
            _ session: Session, _ issued: IssuedAccessToken, after milliseconds: Int64, capacity: Int, _ redis: RedisConnection
        ) async throws -> [AccessTokenHash] {
            let request = RefreshSessionScript.Request(
                sessionID: session.id, generation: 1, wantsRotation: false, accessToken: issued)
            let arguments = RefreshSessionScript.arguments(
                request, policy: .standard, idle: .seconds(60), capacity: capacity,
                at: Sample.now.adding(.milliseconds(milliseconds)))
            let reply = try await redis.run(
                ScriptClock.callers.script(name: "refresh_session", source: RefreshSessionScript.source),
                keys: [SessionRecord.key(session.id), SessionRecord.tokensKey(session.id)], arguments: arguments)
            #expect(reply.elements?.first?.text == "keep")
            guard case .bytes(let bytes)? = reply.elements?[2] else { return [] }
            return AccessTokenHash.list(bytes) ?? []
        }

        @Test func `a session is written once, and read as it was written`() async throws {
            let (session, token) = (try session(), token(1))
            try await run { store, redis in
                let idle = Duration.seconds(3600)
                #expect(try await store.create(session, idle: idle, accessToken: token, at: Sample.now) != nil)
                #expect(try await store.create(session, idle: idle, accessToken: token, at: Sample.now) == nil)
                guard case .live(let read) = try await store.record(session.id, at: Sample.now) else {
                    Issue.record("it is not live")
                    return
                }
                #expect(SessionRecord.bytes(of: read, accessToken: nil) == SessionRecord.bytes(of: session, accessToken: nil))
                let life = try await Self.life(of: SessionRecord.key(session.id), redis)
                #expect((3_540_000...3_600_000).contains(life))
            }
        }

        @Test func `no session lives past its absolute end`() async throws {
            let session = try session(lifetime: SessionLifetime(idle: .seconds(30 * 86_400), absolute: .seconds(86_400)))
            let token = token(1)
            try await run { store, redis in
                let idle = Duration.seconds(30 * 86_400)
                #expect(try await store.create(session, idle: idle, accessToken: nil, at: session.absoluteEnd) == nil)
                #expect(try await store.create(session, idle: .zero, accessToken: nil, at: Sample.now) == nil)
                #expect(try await store.create(session, idle: idle, accessToken: nil, at: Sample.now) != nil)
                #expect(try await Self.life(of: SessionRecord.key(session.id), redis) <= Self.day)
                func refresh(at now: Timestamp) async throws -> RefreshSessionScript.Outcome {
                    let request = RefreshSessionScript.Request(
                        sessionID: session.id, generation: 1, wantsRotation: false, accessToken: token)
                    return try await store.refresh(request, idle: idle, at: now).outcome
                }
                let late = session.absoluteEnd.adding(.seconds(-400))
                #expect(try await refresh(at: late) == .issued(.keep, generation: 1))
                let life = try await Self.life(of: SessionRecord.key(session.id), redis)
                // A refresh never brings the end nearer, and Redis's own clock has not moved here.
                #expect((340_000...86_400_000).contains(life))
                #expect(try await refresh(at: session.absoluteEnd) == .missing)
            }
        }

        @Test func `a tombstone lists the tokens of the session for as long as one of them may live`() async throws {
            let (session, token) = (try session(), token(1))
            try await run { store, redis in
                _ = try await store.create(session, idle: .seconds(3600), accessToken: token, at: Sample.now)
                let first = try await store.end(session.id, reason: .signedOut, at: Sample.now)
                #expect(first.outcome == .ended)
                #expect(first.userID == session.userID)
                #expect(first.revoked == [token.hash])
                // The token's 900 seconds, and 300 for clocks that differ.
                let life = try await Self.life(of: SessionRecord.key(session.id), redis)
                #expect((1_140_000...1_200_000).contains(life))
                let second = try await store.end(session.id, reason: .userDeleted, at: Sample.now)
                #expect(second.outcome == .already)
                #expect(second.revoked == [token.hash])
                guard case .ended(let tombstone) = try await store.record(session.id, at: Sample.now) else {
                    Issue.record("it is no tombstone")
                    return
                }
                #expect(tombstone.reason == .signedOut)
                #expect(tombstone.userID == session.userID)
                #expect(tombstone.salt?.storedText == session.salt.storedText)
                #expect(try await store.create(session, idle: .seconds(3600), accessToken: token, at: Sample.now) == nil)
            }
        }

        @Test func `a tombstone of a deleted user lives as long as the session would have`() async throws {
            let session = try session()
            try await run { store, redis in
                _ = try await store.create(
                    session, idle: SessionLifetime.standard.idle, accessToken: nil, at: Sample.now)
                _ = try await store.end(session.id, reason: .userDeleted, at: Sample.now)
                #expect(try await Self.life(of: SessionRecord.key(session.id), redis) > 29 * Self.day)
            }
        }

        @Test func `a session that is ended before it is written cannot be written`() async throws {
            let session = try session()
            try await run { store, redis in
                let reply = try await store.end(session.id, reason: .userDisabled, at: Sample.now)
                #expect(reply.outcome == .missing)
                #expect(reply.userID == nil)
                let life = try await Self.life(of: SessionRecord.key(session.id), redis)
                #expect((1...60_000).contains(life))
                #expect(try await store.create(session, idle: .seconds(60), accessToken: nil, at: Sample.now) == nil)
            }
        }

        @Test func `reuse deletes what is kept of the session's access tokens in the same step, and gives it back`() async throws
        {
            let session = try session()
            let tokens = (0..<6).map { token($0) }
            try await run { store, redis in
                let idle = Duration.seconds(3600)
                _ = try await store.create(session, idle: idle, accessToken: nil, at: Sample.now)
                for (number, token) in tokens.enumerated() {
                    let request = RefreshSessionScript.Request(
                        sessionID: session.id, generation: UInt32(1 + number), wantsRotation: true, accessToken: token,
                        record: [UInt8]("record \(number)".utf8))
                    guard case .issued = try await store.refresh(request, idle: idle, at: Sample.now).outcome else {
                        Issue.record("nothing issued")
                        return
                    }
                }
                for token in tokens { #expect(try await redis.get(token.hash.key) != nil) }
                let late = RefreshSessionScript.Request(
                    sessionID: session.id, generation: 1, wantsRotation: true, accessToken: self.token(9), record: [1])
                let reply = try await store.refresh(late, idle: idle, at: Sample.now)
                #expect(reply.outcome == .reuse && Set(reply.revoked) == Set(tokens.map(\.hash)))
                #expect(
                    Set(reply.records.map { String(decoding: $0, as: UTF8.self) }) == Set((0..<6).map { "record \($0)" }))
                for token in tokens + [late.accessToken] { #expect(try await redis.get(token.hash.key) == nil) }
            }
        }

        @Test func `a token is forgotten at its exp, which has whole seconds`() throws {
            let exp = Timestamp(seconds: Sample.now.seconds + 900)
            for fraction in [0, 1, 600, 999] as [Int64] {
                let now = Timestamp(seconds: Sample.now.seconds).adding(.milliseconds(fraction))
                let token = IssuedAccessToken(hash: AccessTokenHash(of: "token"), expiresAt: now.adding(.seconds(900)))
                #expect(now.adding(.milliseconds(token.life(at: now))) == exp)
            }
            let short = IssuedAccessToken(hash: AccessTokenHash(of: "token"), expiresAt: Sample.now.adding(.milliseconds(1)))
            #expect(short.life(at: Sample.now) == 1)
        }

        @Test func `tokens beyond the permitted number die, the ones nearest to their expiry first`() async throws {
            let session = try session()
            let tokens = (0...5).map { token($0, expiringIn: 1_000 + Int64($0)) }
            try await run { store, redis in
                _ = try await store.create(session, idle: .seconds(60), accessToken: tokens[0], at: Sample.now)
                for number in 1...3 {
                    #expect(try await Self.refresh(session, tokens[number], after: 1, capacity: 4, redis) == [])
                }
                #expect(try await Self.refresh(session, tokens[4], after: 1, capacity: 4, redis) == [tokens[0].hash])
                // It stays listed until it has been deleted, so that a failure in between leaves nothing behind.
                let doomed = try await Self.refresh(session, tokens[5], after: 1, capacity: 4, redis)
                #expect(Set(doomed) == [tokens[0].hash, tokens[1].hash])
                await store.strike(doomed, from: session.id)
                #expect(Set(try await store.listedTokens(of: session.id)) == Set(tokens[2...5].map(\.hash)))
            }
        }

        @Test func `tokens that have long expired are no longer listed`() async throws {
            let session = try session()
            let tokens = [token(0, expiringIn: 1_000), token(1, expiringIn: 1_001), token(2, expiringIn: 400_000)]
            try await run { store, redis in
                _ = try await store.create(session, idle: .seconds(60), accessToken: tokens[0], at: Sample.now)
                _ = try await Self.refresh(session, tokens[1], after: 0, capacity: 4, redis)
                #expect(try await Self.refresh(session, tokens[2], after: 301_000, capacity: 1, redis) == [tokens[1].hash])
            }
        }

        @Test func `the index holds a user's sessions until the last of them is over`() async throws {
            let long = try session(1)
            let short = try session(2, lifetime: SessionLifetime(idle: .seconds(60), absolute: .seconds(86_400)))
            let third = try session(3)
            try await run { store, redis in
                func begin(_ session: Session, at now: Timestamp = Sample.now) async throws -> Int? {
                    try await store.begin(session, idle: .seconds(60), at: now) { _ in nil }?.count
                }
                #expect(try await begin(long) == 1)
                #expect(try await begin(short) == 2)
                // It is there already.
                #expect(try await begin(short) == nil)
                #expect(try await store.ids(of: Sample.userID) == [long.id, short.id])
                let life = try await Self.life(of: SessionIndex.key(Sample.userID), redis)
                #expect(life > 90 * Self.day && life <= 90 * Self.day + 300_000)
                let late = short.absoluteEnd.adding(.seconds(301))
                #expect(try await begin(third, at: late) == 2)
                try await store.finishEnd(of: long.id, of: Sample.userID, isRecorded: false)
                #expect(try await store.ids(of: Sample.userID) == [third.id])
            }
        }

        @Test func `a session is dated by the clock of Redis, however far a copy's is off`() async throws {
            try await World.run { world in
                try await world.a.run { parts in
                    let store = SessionStore(redis: parts.redis, policy: .standard, clock: .redis)
                    var dates: [Timestamp] = []
                    for (number, ahead) in [0, 3600, 3600, -3600, 0].enumerated() {
                        let mistaken = Timestamp.now().adding(.seconds(ahead))
                        let session = try Sample.session(
                            SessionID(random: [UInt8(number)] + Array(1..<16)), refresh: RefreshRotation(mode: .static),
                            client: "app", at: mistaken)
                        let begun = try await store.begin(session, idle: .seconds(60), at: mistaken) { dated in
                            dates.append(dated.createdAt)
                            return nil
                        }
                        let date = try #require(begun?.session.createdAt)
                        #expect(date == dates.last)
                        let distance = Timestamp.now().duration(since: date)
                        #expect(distance > .seconds(-1) && distance < .seconds(60))
                    }
                    // Once more where it was mistaken; more often only where the way took seconds.
                    #expect(dates.count >= 8)
                }
            }
        }
    }
}
