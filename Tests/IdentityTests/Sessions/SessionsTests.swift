import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct SessionsTests {
        private func end(_ id: SessionID, of user: UserID, on copy: Copy) async throws {
            try await copy.run { try await $0.sessions.end(id, of: user, reason: .revoked, caller: Copy.caller) }
        }

        @Test func `a sign-in lists the device, and the tokens say whose they are`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                world.clock.advance(by: .seconds(5))
                let second = try await world.a.signIn(kind: .static)
                let sessions = try await world.a.run { try await $0.sessions.list(of: member.id) }
                #expect(sessions.map(\.id) == [second.sessionID, member.sessionID])
                #expect(sessions.map { $0.grants.first?.refresh?.mode } == [.static, .rotating])
                #expect(sessions.map(\.device.text) == ["Pixel 9", "Pixel 9"])
                #expect(sessions.map(\.username) == ["Anna@Town.example", "Anna@Town.example"])
                world.clock.advance(by: .seconds(5))
                _ = try await world.a.refresh(member.refreshToken)
                let later = try await world.a.run { try await $0.sessions.list(of: member.id) }
                #expect(later.map(\.id) == [member.sessionID, second.sessionID])
            }
        }

        @Test func `ending one session leaves the others`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let other = try await world.a.signIn()
                let refreshed = try await world.a.refresh(member.refreshToken)
                try await end(member.sessionID, of: member.id, on: world.a)
                let ended = [member.accessToken, refreshed.accessToken, refreshed.refreshToken]
                #expect(try await world.a.active(ended) == [false, false, false])
                #expect(try await world.a.active([other.accessToken, other.refreshToken]) == [true, true])
                let left = try await world.a.run { try await $0.sessions.list(of: member.id) }
                #expect(left.map(\.id) == [other.sessionID])
                let events = try await world.a.events("session_ended")
                #expect(events.map(\.sessionID) == [member.sessionID.text])
                #expect(events.map(\.reason) == ["revoked"])
            }
        }

        @Test func `nobody can end what is not his, or is no more`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let stranger = try await world.a.signUp("berta@town.example")
                for id in [stranger.sessionID, SessionID(random: Array(0..<16))] {
                    await #expect(throws: IdentityError.sessionNotFound) { try await end(id, of: member.id, on: world.a) }
                }
                #expect(try await world.a.isActive(stranger.accessToken))
                try await end(member.sessionID, of: member.id, on: world.a)
                // What has just been ended is not ended again, but neither is it unknown.
                try await end(member.sessionID, of: member.id, on: world.a)
                #expect(try await world.a.events("session_ended").count == 1)
                await #expect(throws: IdentityError.sessionNotFound) {
                    try await end(member.sessionID, of: stranger.id, on: world.a)
                }
                try await world.pass(.seconds(3600))
                await #expect(throws: IdentityError.sessionNotFound) {
                    try await end(member.sessionID, of: member.id, on: world.a)
                }
            }
        }

        @Test func `an end that failed half-way is finished by the next attempt`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                // The session can be ended, but its access token cannot be deleted.
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) {
                    try await end(member.sessionID, of: member.id, on: world.a)
                }
                try await world.a.permitKeys("*")
                #expect(try await world.a.isActive(member.accessToken))
                // Long after: the tombstone stays for as long as the token.
                try await world.pass(.seconds(600))
                #expect(try await world.a.isActive(member.accessToken))
                try await end(member.sessionID, of: member.id, on: world.a)
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await world.a.events("session_ended").count == 1)
                try await end(member.sessionID, of: member.id, on: world.a)
                #expect(try await world.a.events("session_ended").count == 1)
            }
        }

        @Test func `a sign-out that failed half-way is finished by the next attempt`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                func signOut() async throws {
                    try await world.a.run { try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller) }
                }
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await signOut() }
                try await world.a.permitKeys("*")
                #expect(try await world.a.isActive(member.accessToken))
                try await signOut()
                #expect(try await !world.a.isActive(member.accessToken))
                try await signOut()
                #expect(try await world.a.events("session_ended").map(\.reason) == ["signed_out"])
            }
        }

        @Test func `the end of all sessions is finished by the next attempt`() async throws {
            try await World.run { world in
                let members = [try await world.a.signUp(), try await world.a.signIn(), try await world.a.signIn()]
                let id = members[0].id
                func endAll() async throws {
                    try await world.a.run { try await $0.sessions.endAll(of: id, reason: .revoked) }
                }
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await endAll() }
                try await world.a.permitKeys("*")
                try await endAll()
                #expect(try await world.a.active(members.map(\.accessToken)) == [false, false, false])
                #expect(try await world.a.keyspace().keys("user:") == [])
            }
        }

        @Test func `reuse whose tokens could not be deleted is on record, and finished by the next attempt`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let second = try await world.a.refresh(member.refreshToken)
                _ = try await world.a.refresh(second.refreshToken)
                // What is there can be read and new tokens stored, nothing deleted.
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("ACL", "SETUSER", "default", "-del")) }
                await #expect(throws: IdentityError.internalFault) { try await world.a.refresh(member.refreshToken) }
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("ACL", "SETUSER", "default", "+del")) }
                #expect(try await world.a.isActive(second.accessToken))
                #expect(try await world.a.events("refresh_reused").count == 1)
                #expect(await world.a.run { $0.metrics.snapshot.refreshes[.reuse] } == 1)
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(second.refreshToken) }
                let mine = [member.accessToken, second.accessToken]
                #expect(try await world.a.active(mine) == [false, false])
            }
        }

        @Test func `a recovery that failed half-way can be repeated`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let lost = try await world.a.refresh(member.refreshToken)
                try await world.pass(.seconds(60))
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("ACL", "SETUSER", "default", "-del")) }
                await #expect(throws: IdentityError.internalFault) { try await world.a.refresh(member.refreshToken) }
                _ = try await world.a.run { try await $0.redis.send(RedisCommand("ACL", "SETUSER", "default", "+del")) }
                #expect(try await world.a.isActive(lost.accessToken))
                let repeated = try await world.a.refresh(member.refreshToken)
                #expect(try await world.a.active([lost.accessToken, repeated.accessToken]) == [false, true])
                // What has been deleted is not on the list any more.
                let listed = try await world.a.run {
                    try await $0.sessions.store.listedTokens(of: member.sessionID)
                }
                #expect(!listed.contains(AccessTokenHash(of: lost.accessToken.revealedText)))
                _ = try await world.a.refresh(repeated.refreshToken)
            }
        }

        @Test func `a session that cannot be written leaves no token behind`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.permitKeys("at:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await world.a.signIn() }
                try await world.a.permitKeys("*")
                let mine = AccessTokenHash(of: member.accessToken.revealedText).key
                #expect(try await world.a.liveTokens(of: member.id) == [mine])
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.map(\.id) == [member.sessionID])
            }
        }

        @Test func `an access token that cannot be stored leaves no session behind`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await world.a.signIn() }
                try await world.a.permitKeys("*")
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.map(\.id) == [member.sessionID])
                let index = SessionIndex.key(member.id)
                #expect(try await world.a.run { try await $0.redis.send(RedisCommand("ZCARD", index)) } == .integer(1))
            }
        }

        @Test func `a refresh that cannot be decided leaves no token behind, and can be repeated`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                // Sessions may be read only.
                let command = RedisCommand("ACL", "SETUSER", "default", "resetkeys", "~at:*", "~user:*", "%R~session:*")
                _ = try await world.a.run { try await $0.redis.send(command) }
                await #expect(throws: IdentityError.internalFault) { try await world.a.refresh(member.refreshToken) }
                try await world.a.permitKeys("*")
                let mine = AccessTokenHash(of: member.accessToken.revealedText).key
                #expect(try await world.a.liveTokens(of: member.id) == [mine])
                _ = try await world.a.refresh(member.refreshToken)
            }
        }
    }
}
