import Testing
import Text

@testable import Identity

extension WithStores {
    /// How many sessions a user may have.
    @Suite struct SessionLimitTests {
        private func sessions(of user: UserID, on copy: Copy) async throws -> [SessionID] {
            try await copy.run { try await $0.sessions.list(of: user) }.map(\.id)
        }

        @Test func `the session that would end first gives way to one too many`() async throws {
            try await World.run({ $0.sessionsPerUser = 3 }) { world in
                var members = [try await world.a.signUp()]
                for _ in 2...5 {
                    world.clock.advance(by: .seconds(1))
                    members.append(try await world.a.signIn())
                }
                let active = try await world.a.active(members.map(\.accessToken))
                #expect(active == [false, false, true, true, true])
                #expect(Set(try await sessions(of: members[0].id, on: world.a)) == Set(members.suffix(3).map(\.sessionID)))
                let events = try await world.a.events("session_ended", count: 2)
                #expect(Set(events.map(\.sessionID)) == Set(members.prefix(2).map(\.sessionID.text)))
                #expect(events.allSatisfy { $0.actor == "system" })
            }
        }

        @Test func `sessions that nobody used for long enough do not count`() async throws {
            let lifetime = SessionLifetime(idle: .seconds(1000), absolute: .seconds(10_000))
            try await World.run {
                $0.sessionsPerUser = 2
                $0.client = World.app(lifetime: lifetime)
            } _: { world in
                var used = try await world.a.signUp().tokens
                _ = try await world.a.signIn()
                for _ in 1...2 {
                    try await world.pass(.seconds(600))
                    used = try await world.a.refresh(used.refreshToken)
                }
                let new = try await world.a.signIn()
                #expect(Set(try await sessions(of: new.id, on: world.a)) == [used.session.id, new.sessionID])
                #expect(try await world.a.isActive(used.accessToken))
            }
        }

        @Test func `the limit holds after any number of sign-ins at once, and one of them is good`() async throws {
            try await World.run {
                $0.copies = 2
                $0.sessionsPerUser = 3
            } _: { world in
                let copies = world.copies
                let first = try await world.a.signUp()
                let members = try await withThrowingTaskGroup(of: Member.self) { group in
                    for number in 0..<40 { group.addTask { try await copies[number % 2].signIn() } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let left = try await sessions(of: first.id, on: world.a)
                #expect((1...3).contains(left.count))
                let active = try await world.a.active(members.map(\.accessToken))
                let activeSessions = Set(zip(members, active).filter(\.1).map(\.0.sessionID))
                #expect(activeSessions.isSubset(of: left))
                #expect(!activeSessions.isEmpty)
                #expect(try await world.a.liveTokens(of: first.id).count == left.count)
            }
        }
    }
}
