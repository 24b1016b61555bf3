import Logging
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Audit events by the month.
    @Suite struct AuditPartitionsTests {
        private static let day = Duration.seconds(86_400)

        private func event(at time: Timestamp, _ number: UInt8) -> AuditEvent {
            let random = [UInt8](repeating: number, count: 10)
            return AuditEvent(id: UUID(version7At: time, random: random), time: time, kind: .userUpdated, actor: .system)
        }

        private func partitions(_ copy: Copy) async throws -> [AuditPartition] {
            try await copy.run { try await AuditPartitions(pool: $0.postgres).all() }
        }

        private func upkeep(_ copy: Copy, keeping retention: Duration, at time: Timestamp) async -> Bool {
            await copy.run { parts in
                let system = SystemContext(now: { time }, random: { [UInt8](repeating: 1, count: $0) }, statementClock: .callers)
                let upkeep = AuditUpkeep(
                    pool: parts.postgres, retention: retention, metrics: parts.metrics, system: system, logger: .disabled)
                return await upkeep.keep() != nil
            }
        }

        private func record(_ events: [AuditEvent], on copy: Copy) async {
            await copy.run { parts in
                for event in events { await parts.audit.record(event) }
                await parts.audit.flush()
            }
        }

        private func ids(_ copy: Copy) async throws -> [UUID] {
            try await copy.run { try await AuditStore(pool: $0.postgres).page(AuditFilter(), count: 100) }.map(\.id)
        }

        @Test func `months are made ahead, events of any time are taken, and old months go`() async throws {
            try await World.run { world in
                let start = Timestamp(milliseconds: 4_070_908_800_000)  // 2099-01-01
                #expect(await upkeep(world.a, keeping: .zero, at: start))
                #expect(await upkeep(world.a, keeping: .zero, at: start))
                let names = try await partitions(world.a).map(\.name)
                #expect(names.filter { $0.hasPrefix("audit_events_2099") } == (1...3).map { "audit_events_2099_0\($0)" })
                // In the first month, in the last, after it, and long before.
                let times = [0, 31, 65, 400, -30_000].map { start.adding(Self.day * $0) }
                let events = times.enumerated().map { event(at: $0.element, UInt8($0.offset)) }
                await record(events, on: world.a)
                #expect(try await ids(world.a) == events.sorted { $0.time > $1.time }.map(\.id))
                #expect(await world.a.run { $0.metrics.snapshot.auditEventsDropped } == 0)
                // What came before its month was there is in it as soon as it is.
                #expect(await upkeep(world.a, keeping: .zero, at: start.adding(Self.day * 400)))
                #expect(try await ids(world.a).count == 5)
                // Day 100 of 30 kept: January and February go, March stays; so does what is over from before there were months.
                #expect(await upkeep(world.a, keeping: Self.day * 30, at: start.adding(Self.day * 100)))
                #expect(try await ids(world.a) == [events[3].id, events[2].id])
                let left = try await partitions(world.a).map(\.name)
                #expect(!left.contains("audit_events_2099_01") && left.contains("audit_events_2099_03"))
            }
        }

        @Test func `two copies at once make each month once`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let time = Timestamp(milliseconds: 4_102_444_800_000)
                let (one, other) = (world.a, world.b)
                async let first = upkeep(one, keeping: Self.day, at: time)
                async let second = upkeep(other, keeping: Self.day, at: time)
                #expect(await (first, second) == (true, true))
                let made = try await partitions(world.a).filter { $0.name.hasPrefix("audit_events_2100") }
                #expect(made.count == 3)
            }
        }

        @Test func `an index has what is asked for, in every partition`() async throws {
            try await World.run { world in
                let user = "'\(Sample.userID)'"
                let questions = [
                    (AuditQueries.page, ""), (AuditQueries.pageOfUser, ", \(user)"),
                    (AuditQueries.pageOfKind, ", 'user_updated'"), (AuditQueries.pageOfUserAndKind, ", \(user), 'user_updated'"),
                    (AuditQueries.pageOfReference, ", 'r', NULL, NULL, NULL"),
                    (AuditQueries.pageOfOperator, ", 'mei', NULL, NULL"),
                ]
                let range = "'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 100"
                try TestDatabase.run(
                    "ALTER DATABASE \(try world.databaseName) SET enable_seqscan = off", on: world.connectionString)
                for (statement, rest) in questions {
                    let plan = try world.explain(statement.sql, range + rest)
                    #expect(plan.contains("Index") && !plan.contains("Seq Scan"), "\(plan)")
                    #expect(plan.contains("audit_events_before") && plan.contains("audit_events_default"), "\(plan)")
                }
            }
        }
    }
}
