import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// The end of a session in one step, for one that still is as it was read.
    @Suite struct EndUnchangedSessionTests {
        /// A session that has been read, with one access token whose record is kept.
        private struct Place: Sendable {
            let store: SessionStore
            let redis: RedisConnection
            let token = Self.token(0)
            let session: Session

            init(_ redis: RedisConnection) async throws {
                self.redis = redis
                store = SessionStore(redis: redis, policy: .standard, clock: .callers)
                let new = try Sample.session(
                    SessionID(random: Array(0..<16)), refresh: RefreshRotation(mode: .static), client: "app")
                _ = try await store.create(new, idle: .seconds(3600), accessToken: token, at: Sample.now)
                try await AccessTokenStore(redis: redis).store([1], for: token.hash, life: .seconds(900))
                session = try await Self.read(new.id, store)
            }

            static func token(_ number: Int) -> IssuedAccessToken {
                IssuedAccessToken(hash: AccessTokenHash(of: "token \(number)"), expiresAt: Sample.now.adding(.seconds(900)))
            }

            static func read(_ id: SessionID, _ store: SessionStore) async throws -> Session {
                guard case .live(let session) = try await store.record(id, at: Sample.now) else {
                    throw IdentityError.sessionNotFound
                }
                return session
            }

            func end(_ session: Session) async throws -> Bool {
                try await store.end(unchanged: session, reason: .signedOut, telling: nil, at: Sample.now)
            }

            /// Why it has ended; nil for one that lives.
            var reason: SessionEnd? {
                get async throws {
                    guard case .ended(let tombstone) = try await store.record(session.id, at: Sample.now) else { return nil }
                    return tombstone.reason
                }
            }

            /// As a new connection does, which may lead to another server.
            func repeatEnd() async throws {
                let keys = [
                    SessionRecord.key(session.id), SessionRecord.tokensKey(session.id), SessionIndex.key(session.userID),
                    token.hash.key,
                ]
                let arguments = EndUnchangedSessionScript.arguments(session, reason: .signedOut, life: 0, at: Sample.now)
                _ = try await redis.run(
                    RedisScript(name: "repeated", source: EndUnchangedSessionScript.source), keys: keys,
                    arguments: [[]] + arguments.dropFirst())
            }
        }

        private func run(_ body: @escaping @Sendable (Place) async throws -> Void) async throws {
            try await World.run { world in
                try await world.a.run { try await body(try await Place($0.redis)) }
            }
        }

        @Test func `nothing is left of it but why, until its tokens have expired`() async throws {
            try await run { place in
                #expect(try await place.end(place.session))
                #expect(try await place.reason == .signedOut)
                #expect(try await place.redis.get(place.token.hash.key) == nil)
                #expect(try await place.store.ids(of: place.session.userID) == [])
                let life = try await place.redis.send(RedisCommand("PTTL", SessionRecord.key(place.session.id))).integerValue
                #expect(life.map { $0 > 1_100_000 && $0 <= 1_200_000 } == true)
                // Who comes later finds nothing to put on record, and what to delete if it has come back.
                let later = try await place.store.end(place.session.id, reason: .revoked, isRecorded: true, at: Sample.now)
                #expect(later.outcome == .already)
                #expect(later.unrecordedSince == nil && later.clients.isEmpty)
                #expect(later.revoked == [place.token.hash])
                #expect(try await !place.end(place.session))
            }
        }

        @Test func `what has changed since it was read is left alone`() async throws {
            try await run { place in
                let token = Place.token(1)
                #expect(try await place.store.list(token, of: .first, in: place.session.id, at: Sample.now) == [])
                #expect(try await !place.end(place.session))
                #expect(try await place.reason == nil)
                #expect(try await place.redis.get(place.token.hash.key) != nil)
                #expect(try await place.store.ids(of: place.session.userID) == [place.session.id])
                let session = try await Place.read(place.session.id, place.store)
                #expect(session.listedTokens.count == 2)
                #expect(try await place.end(session))
            }
        }

        @Test func `one with more tokens than its record lists is left alone`() async throws {
            try await run { place in
                for number in 1...SessionScript.inlineCount {
                    _ = try await place.store.list(Place.token(number), of: .first, in: place.session.id, at: Sample.now)
                }
                #expect(try await !place.end(try await Place.read(place.session.id, place.store)))
                #expect(try await place.reason == nil)
            }
        }

        @Test func `repeated, it ends whatever the server has of the session, and changes no other end`() async throws {
            try await run { place in
                _ = try await place.store.list(Place.token(1), of: .first, in: place.session.id, at: Sample.now)
                try await place.repeatEnd()
                #expect(try await place.reason == .signedOut)
                #expect(try await place.redis.get(place.token.hash.key) == nil)
                _ = try await place.redis.send(RedisCommand("DEL", SessionRecord.key(place.session.id)))
                _ = try await place.store.end(place.session.id, reason: .userDeleted, at: Sample.now)
                try await place.repeatEnd()
                #expect(try await place.reason == .userDeleted)
            }
        }
    }
}
