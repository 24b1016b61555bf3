import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite(.enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server program on this machine"))
    struct AuditLogTests {
        private static func event(_ number: Int, detail: JSONObject = JSONObject()) -> AuditEvent {
            let bytes = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
            return AuditEvent(
                id: UUID(version7At: Sample.now, random: [UInt8](repeating: 0, count: 8) + bytes),
                time: Sample.now.adding(.milliseconds(number)), kind: .userUpdated, actor: .system, referenceID: "\(number)",
                detail: detail)
        }

        private func record(_ numbers: Range<Int>, on copy: Copy) async {
            await copy.run { parts in
                for number in numbers { await parts.audit.record(Self.event(number)) }
            }
        }

        /// The events that are in the log instead of the database.
        private static func logged(_ world: World) throws -> [JSONObject] {
            try world.logged.split(separator: "\n").compactMap { line in
                let fields = try JSON.parse(String(line))
                guard fields["message"] == "audit event not stored", let event = fields["event"]?.stringValue else { return nil }
                return try JSON.parse(event).objectValue
            }
        }

        @Test func `more events than a log can hold at once are all in it when a copy ends without PostgreSQL`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            try await World.run {
                $0.connectionString = connectionString
                $0.auditCapacity = 20_000
            } _: { world in
                postgres.stop(.immediate)
                await record(0..<20_000, on: world.a)
                _ = await world.a.run { await $0.audit.close() }
                let (numbers, all) = (
                    try Self.logged(world).map { $0["reference_id"] }, (0..<20_000).map { JSONValue.string("\($0)") }
                )
                #expect(numbers == all)
                #expect(!world.logged.contains("log lines were dropped"))
            }
        }

        @Test func `events are written soon, once each, however often they are recorded`() async throws {
            try await World.run { world in
                await record(0..<1200, on: world.a)
                await record(0..<3, on: world.a)
                let events = try await world.a.events("user_updated", count: 1200)
                #expect(events.map(\.referenceID) == (0..<1200).map { "\($0)" })
                await record(0..<2, on: world.a)
                await record(1200..<1201, on: world.a)
                #expect(try await world.a.events("user_updated", count: 1201).count == 1201)
            }
        }

        @Test func `the end of the service writes what waits`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                await record(0..<5, on: world.a)
                _ = await world.a.run { await $0.audit.close() }
                let events = try await world.b.recordedEvents()
                #expect(events.count == 5)
            }
        }

        @Test func `events outlive the absence of PostgreSQL`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            try await World.run({ $0.connectionString = connectionString }) { world in
                let member = try await world.a.signUp()
                postgres.stop(.immediate)
                _ = try await world.a.refresh(member.refreshToken)
                try await world.a.run { try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller) }
                try await eventually { world.logged.contains("audit events are waiting") }
                try postgres.start()
                try await eventually { await world.a.reachesPostgres }
                let events = try await world.a.events("user_signed_up", "token_refreshed", "session_ended", count: 3)
                #expect(Set(events.map(\.userID)) == ["\(member.id)"])
            }
        }

        @Test func `beyond its bound the oldest events are dropped, counted and logged`() async throws {
            let postgres = try TestPostgres()
            let connectionString = postgres.connectionString
            try await World.run {
                $0.connectionString = connectionString
                $0.auditCapacity = 100
            } _: { world in
                postgres.stop(.immediate)
                await record(0..<250, on: world.a)
                #expect(await world.a.run { $0.metrics.snapshot.auditEventsDropped } == 150)
                try await eventually { world.logged.contains("\"audit events dropped\",\"count\":150") }
                try postgres.start()
                try await eventually { await world.a.reachesPostgres }
                let events = try await world.a.events("user_updated", count: 100)
                #expect(events.map(\.referenceID) == (150..<250).map { "\($0)" })
                #expect(await world.a.run { $0.metrics.snapshot.auditEventsDropped } == 150)
                // What cannot be written at the end is said to be.
                postgres.stop(.immediate)
                await record(300..<320, on: world.a)
                _ = await world.a.run { await $0.audit.close() }
                #expect(await world.a.run { $0.metrics.snapshot.auditEventsDropped } == 170)
                try await eventually { world.logged.contains("\"audit events dropped\",\"count\":20") }
                #expect(
                    try Self.logged(world) == (0..<150).map { Self.event($0).stored } + (300..<320).map { Self.event($0).stored })
            }
        }

        @Test func `an event that PostgreSQL can never take holds up no other`() async throws {
            try await World.run { world in
                await world.a.run { parts in
                    for number in 0..<700 {
                        let isBad = number % 300 == 7
                        let member = JSONObject.Member(key: "text", value: .string(isBad ? "a\0b" : "ab"))
                        await parts.audit.record(Self.event(number, detail: JSONObject([member])))
                    }
                }
                let events = try await world.a.events("user_updated", count: 697)
                #expect(Set(events.compactMap(\.referenceID)).isDisjoint(with: ["7", "307", "607"]))
                #expect(await world.a.run { $0.metrics.snapshot.auditEventsDropped } == 3)
            }
        }

        @Test func `what a caller says of himself can be stored`() async throws {
            try await World.run { world in
                let caller = Caller(address: "\0", referenceID: "a\0\u{1}\"\\b", device: DeviceDescription("x\0y"))
                let member = try await world.a.signUp()
                try await world.a.run { try await $0.sessions.signOut(member.refreshToken, caller: caller) }
                let events = try await world.a.events("session_ended")
                #expect(events.map(\.address) == [""])
                #expect(events.map(\.referenceID) == ["a\u{1}\"\\b"])
            }
        }
    }
}
