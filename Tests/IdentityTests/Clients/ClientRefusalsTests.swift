import Crypto
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct ClientRefusalsTests {
        private let caller = Caller(address: "192.0.2.7", referenceID: "r-1", device: DeviceDescription(""))

        private func withClients(_ body: (World) async throws -> Void) async throws {
            try await World.run { world in
                for id in ["a", "b"] {
                    let client = Client(
                        id: World.clientID(id), name: id, authentication: .secret(ClientSecret(random: Array(0..<32)).digest),
                        permissions: [.introspect], audiences: ["*"])
                    try await world.a.run { try await $0.clientStore.insert(client, at: Sample.now) }
                }
                try await world.a.run { try await $0.clients.warmUp() }
                try await body(world)
            }
        }

        private func refuse(_ ids: [String?], _ world: World) async {
            await world.a.run { parts in
                for id in ids { await parts.clientRefusals.note(id, caller) }
            }
        }

        /// All that were recorded before: events are written in their order.
        private func recorded(_ world: World) async throws -> [RecordedEvent] {
            let id = UUID(version7At: Sample.now, random: SecureRandom.bytes(10))
            let marker = AuditEvent(
                id: id, time: world.clock.now, kind: .clientAdded, actor: .administrator(name: nil, source: nil),
                referenceID: id.description)
            await world.a.run { await $0.audit.record(marker) }
            while true {
                let events = try await world.a.recordedEvents()
                if events.contains(where: { $0.referenceID == id.description }) {
                    return events.filter { $0.kind == "client_authentication_failed" }
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        @Test func `the first of each client in a minute is put on record, and all are counted`() async throws {
            try await withClients { world in
                let flood = [String?](repeating: "a", count: 1000) + ["b", nil, "b"]
                await refuse(flood, world)
                #expect(Set(try await recorded(world).map(\.clientID)) == ["a", "b"])
                world.clock.advance(by: .seconds(59))
                await refuse(flood, world)
                #expect(try await recorded(world).count == 2)
                world.clock.advance(by: .seconds(1))
                await refuse(["b", "b"], world)
                let events = try await recorded(world)
                #expect(events.compactMap(\.clientID).sorted() == ["a", "b", "b"])
                for event in events {
                    #expect(event.reason == "wrong_secret" && event.outcome == "refused" && event.address == "192.0.2.7")
                }
                let counted = await world.a.run { $0.metrics.snapshot.clientRefusals }
                #expect(counted == [.wrongSecret: 2006, .noCredentials: 2])
            }
        }

        @Test func `who names clients that there are not is put on record once in a minute, without the names`() async throws {
            try await withClients { world in
                await refuse((0..<500).map { "made-up-\($0)" } + ["a\0b", String(repeating: "x", count: 9000)], world)
                let events = try await recorded(world)
                #expect(events.map(\.reason) == ["unknown_client"])
                #expect(events.map(\.clientID) == [nil])
                #expect(await world.a.run { $0.metrics.snapshot.clientRefusals } == [.unknownClient: 502])
            }
        }
    }
}
