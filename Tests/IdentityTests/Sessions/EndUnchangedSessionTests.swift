import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// The end of a session in one step, for one that still is as it was read.
    @Suite struct EndUnchangedSessionTests {
        /// A session that has been read, with one access token whose record is kept.
        private struct ReadSession: Sendable {
            let store: SessionStore
            let redis: RedisConnection
            private let port: UInt16
            let token = Self.token(0)
            let session: Session

            init(_ redis: RedisConnection, port: UInt16) async throws {
                (self.redis, self.port) = (redis, port)
                store = SessionStore(redis: redis, policy: .standard, clock: .callers)
                session = try await Self.begin(with: token, store)
                try await AccessTokenStore(redis: redis).store([1], for: token.hash, life: .seconds(900))
            }

            /// Begins it, and reads it.
            private static func begin(with token: IssuedAccessToken, _ store: SessionStore) async throws -> Session {
                let new = try Sample.session(
                    SessionID(random: Array(0..<16)), refresh: RefreshRotation(mode: .static), client: "app")
                _ = try await store.create(new, idle: .seconds(3600), accessToken: token, at: Sample.now)
                return try await read(new.id, store)
            }

            /// Has Redis forget the session, and begins another in its place, as if it had been brought back otherwise.
            func beginAgain() async throws {
                _ = try await redis.send(RedisCommand("DEL", SessionRecord.key(session.id)))
                _ = try await Self.begin(with: Self.token(9), store)
            }

            /// Has Redis close all connections, and waits for the next.
            func reconnect() async throws {
                let socket = try TestSocket(connectingTo: port)
                try socket.send("CLIENT KILL TYPE normal\r\n")
                #expect(String(decoding: try socket.receive(), as: UTF8.self).hasPrefix(":"))
                try await eventually { (try? await redis.send(RedisCommand("PING"))) != nil }
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
        }

        private func run(_ body: @escaping @Sendable (ReadSession) async throws -> Void) async throws {
            try await World.run({ $0.repeatsEnds = true }) { world in
                let port = world.redis.port
                try await world.a.run { try await body(try await ReadSession($0.redis, port: port)) }
            }
        }

        @Test func `nothing is left of it but why, until its tokens have expired`() async throws {
            try await run { known in
                #expect(try await known.end(known.session))
                #expect(try await known.reason == .signedOut)
                #expect(try await known.redis.get(known.token.hash.key) == nil)
                #expect(try await known.store.ids(of: known.session.userID) == [])
                let life = try await known.redis.send(RedisCommand("PTTL", SessionRecord.key(known.session.id))).integerValue
                #expect(life.map { $0 > 1_100_000 && $0 <= 1_200_000 } == true)
                // Who comes later finds when it ended, nobody to tell, and what to delete if it has come back.
                let later = try await known.store.end(known.session.id, reason: .revoked, isRecorded: true, at: Sample.now)
                #expect(later.outcome == .already)
                #expect(later.unrecordedSince == Sample.now && !later.isUnfinished && later.clients.isEmpty)
                #expect(later.revoked == [known.token.hash])
                #expect(try await !known.end(known.session))
            }
        }

        @Test func `what has changed since it was read is left alone`() async throws {
            try await run { known in
                let token = ReadSession.token(1)
                #expect(try await known.store.list(token, of: .first, in: known.session.id, at: Sample.now) == [])
                #expect(try await !known.end(known.session))
                #expect(try await known.reason == nil)
                #expect(try await known.redis.get(known.token.hash.key) != nil)
                #expect(try await known.store.ids(of: known.session.userID) == [known.session.id])
                let session = try await ReadSession.read(known.session.id, known.store)
                #expect(session.listedTokens.count == 2)
                #expect(try await known.end(session))
            }
        }

        @Test func `one with more tokens than its record lists is left alone`() async throws {
            try await run { known in
                for number in 1...SessionScript.inlineCount {
                    _ = try await known.store.list(ReadSession.token(number), of: .first, in: known.session.id, at: Sample.now)
                }
                #expect(try await !known.end(try await ReadSession.read(known.session.id, known.store)))
                #expect(try await known.reason == nil)
            }
        }

        @Test func `at the next connection it ends whatever the server has in its place, but changes no other end`() async throws
        {
            try await run { known in
                #expect(try await known.end(known.session))
                try await known.beginAgain()
                try await AccessTokenStore(redis: known.redis).store([1], for: known.token.hash, life: .seconds(900))
                try await known.reconnect()
                #expect(try await known.reason == .signedOut)
                #expect(try await known.redis.get(known.token.hash.key) == nil)
                _ = try await known.redis.send(RedisCommand("DEL", SessionRecord.key(known.session.id)))
                _ = try await known.store.end(known.session.id, reason: .userDeleted, at: Sample.now)
                try await known.reconnect()
                #expect(try await known.reason == .userDeleted)
            }
        }

        @Test func `what was left alone is left alone at the next connection, too`() async throws {
            try await run { known in
                _ = try await known.store.list(ReadSession.token(1), of: .first, in: known.session.id, at: Sample.now)
                #expect(try await !known.end(known.session))
                try await known.reconnect()
                #expect(try await known.reason == nil)
                #expect(try await known.redis.get(known.token.hash.key) != nil)
            }
        }
    }
}
