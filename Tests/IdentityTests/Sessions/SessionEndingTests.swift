import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// The end of a session is put on record once, whatever happens on the way.
    @Suite struct SessionEndingTests {
        private func end(_ member: Member, on copy: Copy) async throws {
            try await copy.run {
                try await $0.sessions.end(member.sessionID, of: member.id, reason: .signedOut, caller: Copy.caller)
            }
        }

        /// The events of ends, once all that has been recorded up to now is in PostgreSQL: each copy writes in order.
        private func endings(_ world: World, _ kind: AuditKind = .sessionEnded(.signedOut)) async throws -> [RecordedEvent] {
            for copy in world.copies {
                let reference = "marker-\(SessionID(random: copy.system.random(SessionID.byteCount)))"
                let caller = Caller(address: nil, referenceID: reference, device: DeviceDescription(""))
                let user = UserID(at: Sample.now, random: copy.system.random(10))
                await copy.run { await $0.accounts.note(.userUpdated, user, by: .system, nil, caller) }
                try await eventually { try await copy.recordedEvents().contains { $0.referenceID == reference } }
            }
            return try await world.a.recordedEvents().filter { $0.kind == kind.name }
        }

        /// As if the index had lost the session.
        private func forget(_ member: Member, _ world: World) async throws {
            var command = RedisCommand("ZREM", SessionIndex.key(member.id))
            command.append(member.sessionID.bytes)
            let sent = command
            #expect(try await world.a.parts.redis.send(sent).integerValue == 1)
        }

        enum Way: CaseIterable {
            case device, refreshToken, accessToken
        }

        enum Damage: CaseIterable {
            /// Nothing of the record is left.
            case whole
            /// The record breaks off behind its owner.
            case tail
            /// A tombstone that breaks off.
            case tombstone

            func bytes(_ record: [UInt8]) -> [UInt8] {
                switch self {
                case .whole: Array("x".utf8)
                case .tail: Array(record.prefix(60))
                case .tombstone: [SessionRecord.tombstoneMark] + record.dropFirst().prefix(36)
                }
            }
        }

        private func damage(_ member: Member, _ damage: Damage, _ world: World) async throws {
            let key = SessionRecord.key(member.sessionID)
            guard case .bytes(let record) = try await world.a.parts.redis.send(RedisCommand("GET", key)) else {
                Issue.record("there is no record")
                return
            }
            var command = RedisCommand("SET", key)
            command.append(damage.bytes(record))
            command.append("KEEPTTL")
            let sent = command
            _ = try await world.a.parts.redis.send(sent)
        }

        private func isListed(_ member: Member, _ world: World) async throws -> Bool {
            try await world.a.run { try await $0.sessions.store.ids(of: member.id) }.contains(member.sessionID)
        }

        @Test(arguments: Damage.allCases)
        func `a session whose record is damaged ends for its user, and for nobody else`(damage kind: Damage) async throws {
            try await World.run { world in
                let (member, other) = (try await world.a.signUp(), try await world.a.signUp("ben@example.com"))
                try await damage(member, kind, world)
                await #expect(throws: IdentityError.sessionNotFound) {
                    try await world.a.run {
                        try await $0.sessions.end(member.sessionID, of: other.id, reason: .signedOut, caller: Copy.caller)
                    }
                }
                #expect(try await isListed(member, world))
                try await end(member, on: world.a)
                #expect(try await !isListed(member, world))
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                #expect(try await endings(world).map(\.sessionID) == [member.sessionID.text])
            }
        }

        @Test(arguments: Damage.allCases)
        func `a session whose record is damaged ends for an administrator`(damage kind: Damage) async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await damage(member, kind, world)
                try await world.a.run { try await $0.administration.end(member.sessionID) }
                // Its first bytes say whose it was.
                #expect(try await isListed(member, world) == (kind != .tail))
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                let events = try await endings(world)
                #expect(events.map(\.sessionID) == [member.sessionID.text])
                #expect(events.map(\.userID) == [kind == .tail ? member.id.description : nil])
            }
        }

        @Test func `access tokens that a damaged record does not list itself end with it`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                var token = member.refreshToken
                for _ in 0...SessionScript.inlineCount { token = try await world.a.refresh(token).refreshToken }
                #expect(try await world.a.isActive(member.accessToken))
                try await damage(member, .whole, world)
                try await end(member, on: world.a)
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }

        @Test(arguments: Way.allCases)
        func `a session that its user's index does not name ends as any other`(way: Way) async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await forget(member, world)
                switch way {
                case .device: try await end(member, on: world.a)
                case .refreshToken:
                    try await world.a.run { try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller) }
                case .accessToken:
                    try await world.a.run {
                        try await $0.tokens.signOut(member.accessToken, lateness: .zero, caller: Copy.caller)
                    }
                }
                #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [false, false])
                let events = try await endings(world)
                #expect(events.map(\.sessionID) == [member.sessionID.text])
                #expect(events.map(\.clientID) == ["app"] && events.map(\.reason) == ["signed_out"])
            }
        }

        @Test func `of many who end it at once, at two copies, one is on record`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let copies = world.copies
                for round in 0..<5 {
                    let member = try await round == 0 ? world.a.signUp() : world.a.signIn()
                    if round == 1 { try await forget(member, world) }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<20 {
                            group.addTask {
                                try await copies[number % 2].run { parts in
                                    if number % 3 == 0 {
                                        try await parts.sessions.signOut(member.refreshToken, caller: Copy.caller)
                                    } else {
                                        try await parts.sessions.end(
                                            member.sessionID, of: member.id, reason: .signedOut, caller: Copy.caller)
                                    }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    let events = try await endings(world)
                    #expect(events.count == round + 1)
                    #expect(Set(events.map(\.sessionID)).count == round + 1)
                }
            }
        }

        @Test func `an end that failed half-way is put on record by who gets to its end, at another copy too`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                // The access tokens cannot be deleted, or the index not be changed.
                for (number, keys) in [["session:*", "user:*"], ["session:*", "at:*"]].enumerated() {
                    let member = try await number == 0 ? world.a.signUp() : world.a.signIn()
                    try await world.a.permitKeys(keys[0], keys[1])
                    await #expect(throws: IdentityError.internalFault) { try await end(member, on: world.a) }
                    try await world.a.permitKeys("*")
                    await #expect(throws: IdentityError.invalidRefreshToken) {
                        _ = try await world.b.refresh(member.refreshToken)
                    }
                    try await end(member, on: world.b)
                    try await end(member, on: world.a)
                    #expect(try await endings(world).map(\.sessionID).filter { $0 == member.sessionID.text }.count == 1)
                    #expect(try await world.a.run { try await $0.sessions.store.ids(of: member.id) } == [])
                }
            }
        }

        @Test func `an end that Redis refuses is on record when it is repeated, and not before`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try world.redis.command("CONFIG SET min-replicas-to-write 1")
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) { try await end(member, on: world.a) }
                try world.redis.command("CONFIG SET min-replicas-to-write 0")
                #expect(try await endings(world).isEmpty)
                #expect(try await world.a.isActive(member.accessToken))
                try await end(member, on: world.a)
                #expect(try await endings(world).count == 1)
            }
        }

        @Test func `an end whose process has died with its event is put on record by who repeats it`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let isDone = try await world.a.run { parts in
                    guard case .live(let session) = try await parts.sessions.store.record(member.sessionID, at: Sample.now) else {
                        return false
                    }
                    return try await parts.sessions.store.end(
                        unchanged: session, reason: .signedOut, telling: nil, at: Sample.now)
                }
                #expect(isDone)
                #expect(try await endings(world).isEmpty)
                for _ in 0..<2 { try await end(member, on: world.a) }
                #expect(try await endings(world).count == 1)
                // In two steps, as where clients are told.
                let second = try await world.a.signIn()
                try await world.a.run { parts in
                    _ = try await parts.sessions.store.end(
                        second.sessionID, reason: .signedOut, isRecorded: true, at: Sample.now)
                    let isFirst = try await parts.sessions.store.finishEnd(of: second.sessionID, of: second.id, isRecorded: true)
                    #expect(isFirst)
                }
                for _ in 0..<2 { try await end(second, on: world.a) }
                #expect(try await endings(world).count == 2)
            }
        }

        @Test func `whoever revokes a grant of a session that somebody else is ending finishes that`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                // Somebody else gets no further than this.
                try await world.a.run {
                    _ = try await $0.sessions.store.end(member.sessionID, reason: .signedOut, isRecorded: true, at: Sample.now)
                }
                #expect(try await world.a.isActive(member.accessToken))
                try await world.a.run { parts in
                    try await parts.sessions.endGrant(
                        .first, in: member.sessionID, of: member.id, client: parts.app.id, by: .client(parts.app.id), Copy.caller)
                }
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await endings(world).count == 1)
            }
        }

        @Test func `an administrator finishes an end that nobody came back to, once`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                // As if the process had died when the session was over.
                try await world.a.run {
                    _ = try await $0.sessions.store.end(member.sessionID, reason: .signedOut, isRecorded: true, at: Sample.now)
                }
                #expect(try await world.a.isActive(member.accessToken))
                try await world.a.run { try await $0.administration.end(member.sessionID) }
                #expect(try await !world.a.isActive(member.accessToken))
                #expect(try await !isListed(member, world))
                await #expect(throws: AdministrationError.refused(.sessionNotFound)) {
                    try await world.a.run { try await $0.administration.end(member.sessionID) }
                }
                #expect(try await endings(world).map(\.reason) == [SessionEnd.signedOut.rawValue])
            }
        }

        @Test func `the end of a grant whose answer was lost is put on record once by who repeats it`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let grant = try await world.a.run {
                    try await $0.sessions.grant(to: $0.app, in: member.sessionID, refresh: .rotating).grant.id
                }
                // As if the answer had not come.
                _ = try await world.a.run {
                    try await $0.sessions.store.end(grant, in: member.sessionID, notedAt: Sample.now)
                }
                for _ in 0..<2 {
                    try await world.a.run { parts in
                        try await parts.sessions.endGrant(
                            grant, in: member.sessionID, of: member.id, client: parts.app.id, by: .client(parts.app.id),
                            Copy.caller)
                    }
                }
                #expect(try await endings(world, .grantEnded).count == 1)
                #expect(try await endings(world).isEmpty)
            }
        }

        /// Who signs out by an access token alone cannot come back when that has ended.
        @Test func `an end whose answer was lost is put on record though nobody repeats it`() async throws {
            try await World.runBehindProxy {
                $0.repeatsEnds = true
            } _: { world, proxy in
                var (lost, step, isBroken) = (0, 0, true)
                while isBroken {
                    let member = try await world.a.signUp("user\(step)@town.example")
                    proxy.arm(.cut, after: step)
                    _ = try? await end(member, on: world.a)
                    isBroken = proxy.hasFailed
                    proxy.heal()
                    try await eventually { await world.a.parts.redis.isReady }
                    let record = try await world.a.run { try await $0.sessions.store.record(member.sessionID, at: Sample.now) }
                    if case .ended = record {
                        lost += isBroken ? 1 : 0
                        try await eventually {
                            try await endings(world).contains { $0.sessionID == member.sessionID.text }
                        }
                    }
                    step += 1
                }
                let sessions = try await endings(world).map(\.sessionID)
                #expect(Set(sessions).count == sessions.count && lost > 0)
            }
        }

        @Test func `a client is told once of an end that failed half-way`() async throws {
            try await World.run {
                $0.tellsLogouts = true
                $0.client.backChannelLogout = ClientLogout(uri: "https://app.example/logout")
            } _: { world in
                let member = try await world.a.signUp()
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await end(member, on: world.a) }
                try await world.a.permitKeys("*")
                try await end(member, on: world.a)
                await world.a.run { await $0.sessions.logouts?.close() }
                let time = world.a.system.statementTime
                let waiting = try await world.a.run { try await $0.jobs.counts(at: time)[.backchannelLogout]?.waiting }
                #expect(waiting == 1)
            }
        }

        @Test func `a client is told of an end whose answer nobody got, once, and nothing is kept`() async throws {
            try await World.run {
                $0.tellsLogouts = true
                $0.client.backChannelLogout = ClientLogout(uri: "https://app.example/logout")
            } _: { world in
                let member = try await world.a.signUp()
                // As if the process had died when the session was over.
                try await world.a.run {
                    _ = try await $0.sessions.store.end(member.sessionID, reason: .signedOut, isRecorded: true, at: Sample.now)
                }
                try await end(member, on: world.a)
                await world.a.run { await $0.sessions.logouts?.close() }
                let time = world.a.system.statementTime
                let waiting = try await world.a.run { try await $0.jobs.counts(at: time)[.backchannelLogout]?.waiting }
                #expect(waiting == 1)
                let kept = RedisCommand("EXISTS", SessionRecord.endedKey(member.sessionID))
                #expect(try await world.a.parts.redis.send(kept).integerValue == 0)
            }
        }

        @Test func `who ends all sessions of a user takes away no record that another owes`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                try await world.a.permitKeys("session:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await end(member, on: world.a) }
                try await world.a.permitKeys("*")
                try await world.a.run { try await $0.sessions.endAll(of: member.id, reason: .passwordChanged) }
                #expect(try await endings(world).isEmpty)
                try await end(member, on: world.a)
                #expect(try await endings(world).count == 1)
                let other = try await world.a.signIn()
                try await world.a.run { try await $0.sessions.endAll(of: member.id, reason: .passwordChanged) }
                try await end(other, on: world.a)
                #expect(try await endings(world).count == 1)
            }
        }

        @Test func `a session that makes room for another is on record once, however many sign in at once`() async throws {
            try await World.run {
                $0.copies = 2
                $0.sessionsPerUser = 2
            } _: { world in
                let copies = world.copies
                _ = try await world.a.signUp()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<24 { group.addTask { _ = try? await copies[number % 2].signIn() } }
                    try await group.waitForAll()
                }
                let events = try await endings(world)
                #expect(!events.isEmpty)
                #expect(Set(events.map(\.sessionID)).count == events.count)
            }
        }
    }
}
