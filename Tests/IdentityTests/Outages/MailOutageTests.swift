import Networking
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithFailingStores {
    /// What becomes of mail while PostgreSQL or the mail server goes away: none is lost, and none is sent twice that need not be.
    @Suite(.enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server to start on this machine"))
    struct MailOutageTests {
        enum Outage: CaseIterable {
            /// Ends at once, as if it had crashed.
            case stopped
            /// Hangs: connections stand, and nobody answers.
            case paused

            func begin(_ postgres: TestPostgres) {
                switch self {
                case .stopped: postgres.stop(.immediate)
                case .paused: postgres.pause()
                }
            }

            func end(_ postgres: TestPostgres) throws {
                switch self {
                case .stopped: try postgres.start()
                case .paused: postgres.resume()
                }
            }
        }

        /// Where the mail server is with a mail when PostgreSQL goes away: it has just been taken out of the outbox, or all but been sent.
        static let places: [(TestSMTPServer.Place, said: String)] = [(.command("MAIL"), "MAIL"), (.content, "(content)")]

        private func run(_ body: (World, TestPostgres, TestSMTPServer) async throws -> Void) async throws {
            let postgres = try TestPostgres()
            let server = try TestSMTPServer()
            let connectionString = postgres.connectionString
            try await World.run {
                $0.copies = 2
                $0.connectionString = connectionString
                $0.postgresPatience = .seconds(2)
            } _: { world in
                try await body(world, postgres, server)
            }
        }

        /// Until both copies reach PostgreSQL again.
        private func recovery(of world: World) async throws {
            for copy in world.copies { try await eventually { await copy.reachesPostgres } }
        }

        @Test(arguments: Outage.allCases) func `what nobody has taken yet is sent afterwards, once`(outage: Outage) async throws {
            try await run { world, postgres, server in
                let deliveries = try world.copies.map { try world.delivery($0, server) }
                try await world.put(3)
                outage.begin(postgres)
                for delivery in deliveries { await delivery.work() }
                #expect(try server.messages().isEmpty)
                #expect(world.logged.ranges(of: "the jobs cannot be read").count == 2)
                try outage.end(postgres)
                try await recovery(of: world)
                // What was asked of a PostgreSQL that hung may have been done without anybody to know of it.
                world.clock.advance(by: MailDelivery.Policy().jobs.lease)
                for _ in 1...2 {
                    for delivery in deliveries { await delivery.work() }
                    world.clock.advance(by: JobRunner.Policy().settling)
                }
                #expect(try server.messages().flatMap(\.recipients).sorted() == (0..<3).map { "mei\($0)@example.com" })
                #expect(try await world.waitingMails().isEmpty)
            }
        }

        @Test(arguments: Outage.allCases, places)
        func `what is sent while PostgreSQL is away is not sent again, however long that lasts`(
            outage: Outage, place: (TestSMTPServer.Place, said: String)
        ) async throws {
            try await run { world, postgres, server in
                let (delivery, other) = (try world.delivery(world.a, server), try world.delivery(world.b, server))
                try await world.put(1)
                try server.setFaults([place.0: .hold])
                let working = Task(executorPreference: world.a.loop) { await delivery.work() }
                try await eventually { server.commands().contains { $0.contains(place.said) } }
                outage.begin(postgres)
                try server.setFaults([:])
                await working.value
                #expect(try server.messages().count == 1)
                await other.work()
                world.clock.advance(by: MailDelivery.Policy().jobs.lease * 2)
                try outage.end(postgres)
                try await recovery(of: world)
                // The other one is first to see that PostgreSQL is there again, and leaves time to who has something to tell it.
                await other.work()
                await delivery.work()
                world.clock.advance(by: JobRunner.Policy().settling)
                await other.work()
                await delivery.work()
                #expect(try server.messages().count == 1)
                #expect(try await world.waitingMails().isEmpty)
                #expect(await world.a.mailOutcomes() == [.done: 1])
                #expect(await world.b.mailOutcomes().isEmpty)
            }
        }

        @Test func `a copy that ends waits for PostgreSQL, to tell it what was sent`() async throws {
            try await run { world, postgres, server in
                let delivery = try world.delivery(world.a, server)
                try await world.put(1)
                try server.setFaults([.content: .hold])
                let working = Task(executorPreference: world.a.loop) { await delivery.work() }
                try await eventually { server.commands().contains { $0.contains("(content)") } }
                postgres.stop(.immediate)
                try server.setFaults([:])
                await working.value
                let closing = Task(executorPreference: world.a.loop) { await delivery.close(by: Instant.now() + .seconds(60)) }
                try postgres.start()
                await closing.value
                try await recovery(of: world)
                #expect(try await world.waitingMails().isEmpty)
            }
        }

        @Test func `a verdict that PostgreSQL was not told is asked for once more after the lease`() async throws {
            try await run { world, postgres, server in
                let delivery = try world.delivery(world.a, server)
                try await world.put(1)
                try server.setFaults([.command("MAIL"): .hold, .recipient("mei0@example.com"): .reply("451 later")])
                let working = Task(executorPreference: world.a.loop) { await delivery.work() }
                try await eventually { server.commands().contains { $0.contains("MAIL") } }
                postgres.stop(.immediate)
                try server.setFaults([.recipient("mei0@example.com"): .reply("451 later")])
                await working.value
                try postgres.start()
                try server.setFaults([:])
                try await recovery(of: world)
                await delivery.work()
                world.clock.advance(by: MailDelivery.Policy().jobs.lease)
                await delivery.work()
                #expect(try server.messages().count == 1)
            }
        }

        @Test func `a mail server that hangs with the content costs no more than the time, and gets the mail later`() async throws
        {
            try await run { world, _, server in
                let delivery = try world.delivery(world.a, server, timeout: .seconds(1))
                try await world.put(1)
                try server.setFaults([.content: .silence])
                await delivery.work()
                #expect(await world.a.mailOutcomes() == [.failed: 1])
                #expect(await world.a.run { $0.metrics.snapshot.isMailServerUp } == false)
                try server.setFaults([:])
                world.clock.advance(by: .seconds(600))
                await delivery.work()
                #expect(try server.messages().count == 1)
            }
        }

        @Test func `a mail whose reply was lost is sent again, and a mailbox can tell that it is the same`() async throws {
            try await run { world, _, server in
                let delivery = try world.delivery(world.a, server)
                try await world.put(1)
                try server.setFaults([.content: .lose])
                await delivery.work()
                #expect(try server.messages().count == 1)
                #expect(try await world.waitingMails().map(\.attempts) == [1])
                try server.setFaults([:])
                world.clock.advance(by: .seconds(600))
                await delivery.work()
                let messages = try server.messages()
                #expect(messages.count == 2 && messages[0].content == messages[1].content)
                #expect(messages[0].text.contains("Message-ID: <"))
                #expect(try await world.waitingMails().isEmpty)
            }
        }
    }
}
