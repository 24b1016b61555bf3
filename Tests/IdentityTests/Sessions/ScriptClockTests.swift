import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Copies whose clocks differ by an hour, on one Redis.
    @Suite struct ScriptClockTests {
        private static let hour: Int64 = 3_600_000
        /// What the one copy takes for the time, and the other.
        private let here = Timestamp.now()
        private let there: Timestamp

        init() {
            there = here.adding(.milliseconds(Self.hour))
        }

        private func session(_ mode: RefreshRotation.Mode) throws -> Session {
            try Sample.session(
                SessionID(random: [77] + Array(1..<16)), refresh: RefreshRotation(mode: mode), client: "app", at: here)
        }

        private func token(_ number: Int, at now: Timestamp) -> IssuedAccessToken {
            IssuedAccessToken(hash: AccessTokenHash(of: "token \(number)"), expiresAt: now.adding(.milliseconds(900_000)))
        }

        private func request(
            _ session: Session, _ generation: UInt32, _ token: IssuedAccessToken
        ) -> RefreshSessionScript.Request {
            RefreshSessionScript.Request(
                sessionID: session.id, generation: generation, wantsRotation: false, accessToken: token)
        }

        private func run(_ body: @escaping @Sendable (SessionStore) async throws -> Void) async throws {
            try await World.run { world in
                try await world.a.run { parts in
                    try await body(SessionStore(redis: parts.redis, policy: .standard, clock: .redis))
                }
            }
        }

        @Test func `whoever ends a session finds every access token, whatever time the copies took it for`() async throws {
            try await run { store in
                let session = try session(.static)
                let tokens = [token(0, at: here), token(1, at: there), token(2, at: here), token(3, at: there)]
                #expect(try await store.create(session, idle: .seconds(7_200), accessToken: tokens[0], at: here) != nil)
                let idle = Duration.seconds(7_200)
                _ = try await store.refresh(request(session, 1, tokens[1]), idle: idle, at: there)
                _ = try await store.refresh(request(session, 1, tokens[2]), idle: idle, at: here)
                #expect(try await store.list(tokens[3], of: .first, in: session.id, at: there) != nil)
                _ = try await store.refresh(request(session, 1, token(4, at: there)), idle: idle, at: there)
                let revoked = try await store.end(session.id, reason: .signedOut, at: there).revoked
                for token in tokens { #expect(revoked.contains(token.hash)) }
            }
        }

        @Test func `two refreshes at once agree, whatever time the copies took it for`() async throws {
            try await run { store in
                let session = try session(.rotating)
                let idle = Duration.seconds(7_200)
                #expect(try await store.create(session, idle: idle, accessToken: token(0, at: there), at: there) != nil)
                let first = try await store.refresh(request(session, 1, token(1, at: here)), idle: idle, at: here)
                let second = try await store.refresh(request(session, 1, token(2, at: there)), idle: idle, at: there)
                #expect(first.outcome == .issued(.rotate, generation: 2))
                #expect(second.outcome == .issued(.replay, generation: 2))
                #expect(second.revoked.isEmpty)
            }
        }
    }
}
