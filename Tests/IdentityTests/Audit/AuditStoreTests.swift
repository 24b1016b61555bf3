import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct AuditStoreTests {
        private func page(
            _ world: World, before: UUID? = nil, count: Int = 100, _ change: @Sendable (inout AuditFilter) -> Void = { _ in }
        ) async throws -> [RecordedAuditEvent] {
            var filter = AuditFilter()
            change(&filter)
            let asked = filter
            return try await world.a.run {
                try await AuditStore(pool: $0.postgres).page(asked, before: before, count: count)
            }
        }

        @Test func `events come newest first, page by page, and none twice`() async throws {
            try await World.run { world in
                for number in 1...7 {
                    _ = try await world.a.signUp("user\(number)@town.example")
                    world.clock.advance(by: .seconds(1))
                }
                _ = try await world.a.events("user_signed_up", count: 7)
                let all = try await page(world) { $0.kind = "user_signed_up" }
                #expect(all.count == 7)
                #expect(all.map(\.time) == all.map(\.time).sorted(by: >))
                var paged: [RecordedAuditEvent] = []
                while true {
                    let next = try await page(world, before: paged.last?.id, count: 3) { $0.kind = "user_signed_up" }
                    paged += next
                    if next.count < 3 { break }
                }
                #expect(paged.map(\.id) == all.map(\.id))
                // Of one user, and of a user and a kind.
                let id = try #require(all.first?.userID.flatMap { UserID($0) })
                let own = try await page(world) { $0.userID = id }
                #expect(own.allSatisfy { $0.userID == "\(id)" } && !own.isEmpty)
                let both = try await page(world) { filter in
                    filter.userID = id
                    filter.kind = "user_signed_up"
                }
                #expect(both.map(\.id) == [all[0].id])
                // From an instant on, which counts, up to one that does not.
                let (start, end) = (all[4].time, all[2].time)
                let within = try await page(world) { filter in
                    filter.kind = "user_signed_up"
                    filter.since = start
                    filter.until = end
                }
                #expect(within.map(\.id) == [all[3].id, all[4].id])
            }
        }

        @Test func `an event is read as it was written`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let event = try #require(try await world.a.events("user_signed_up").first)
                let read = try #require(try await page(world).first { $0.kind == "user_signed_up" })
                #expect(read.userID == event.userID && read.userID == "\(member.id)")
                #expect(read.outcome == "succeeded" && read.actor == "user:\(member.id)" && read.reason == nil)
                #expect(read.address == "192.0.2.7" && read.referenceID == "request-1" && read.clientID == "app")
                #expect(read.time == Sample.now)
                #expect(read.detail == [:])
            }
        }
    }
}
