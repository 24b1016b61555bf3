import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Two copies that share an outbox, of which the second is an hour ahead or behind: PostgreSQL's clock decides about every mail.
    @Suite struct MailClockTests {
        private static let hour = Duration.seconds(3600)

        @Test(arguments: [hour, .zero - hour])
        func `either sends what either has put there, at once`(ahead: Duration) async throws {
            let server = try TestSMTPServer()
            try await World.runApart(by: ahead) { world in
                for (putting, sending) in [(world.a, world.b), (world.b, world.a), (world.b, world.b)] {
                    let before = try server.messages().count
                    try await world.put(1, on: putting, recipient: "mei\(before)-")
                    await (try world.delivery(sending, server)).work()
                    #expect(try server.messages().count == before + 1)
                }
            }
        }

        @Test func `who is ahead gives up nothing that is of use, and who is behind sends nothing that is not`() async throws {
            let server = try TestSMTPServer()
            try await World.runApart(by: Self.hour) { world in
                try await world.put(1, life: .seconds(1800))
                await (try world.delivery(world.b, nil)).work()
                #expect(await world.b.mailOutcomes().isEmpty)
                #expect(try await world.waitingMails().count == 1)
            }
            try await World.runApart(by: .zero - Self.hour) { world in
                try await world.put(1, life: .seconds(1800))
                _ = try await world.a.run { parts in try await parts.postgres.query(Self.over) }
                await (try world.delivery(world.b, server)).work()
                #expect(await world.b.mailOutcomes() == [.expired: 1])
                #expect(try server.messages().isEmpty)
            }
        }

        @Test func `who is ahead takes neither what another has under way nor what was put off`() async throws {
            let server = try TestSMTPServer(faults: [.recipient("mei0@example.com"): .reply("451 later")])
            try await World.runApart(by: Self.hour) { world in
                let queue = world.a.parts.jobs
                let other = try world.delivery(world.b, server)
                try await world.put(1)
                let taken = try await world.a.run { _ in try await queue.claim(9, of: .mail, at: .postgres, for: .seconds(120)) }
                await other.work()
                #expect(server.commands().isEmpty)
                let mail = try #require(taken.first)
                try await world.a.run { _ in try await queue.giveBack(mail, because: "a test", at: .postgres) }
                await other.work()
                await other.work()
                await (try world.delivery(world.a, server)).work()
                #expect(server.commands().count { $0.contains("RCPT") } == 1)
                #expect(try await world.waitingMails().map(\.attempts) == [1])
            }
        }

        @Test func `who is ahead forgets no mail early, and counts those of the others`() async throws {
            try await World.runApart(by: Self.hour) { world in
                let other = try world.delivery(world.b, nil) { $0.retention = Self.hour }
                try await world.put(MailOutbox.limitOfAsked)
                let user = try #require(try await world.waitingMails().first?.mail?.userID)
                _ = try await world.a.run { parts in try await parts.postgres.query(Self.sent) }
                await other.work()
                let time = world.b.system.statementTime
                #expect(try await !world.b.run { try await $0.outbox.hasRoom(for: user, .passwordReset, at: time) })
                #expect(await world.b.jobCount(.mail).oldestAge == .zero)
            }
        }

        @Test func `how long the oldest has waited is told the same by both`() async throws {
            try await World.runApart(by: Self.hour) { world in
                try await world.put(1)
                for copy in world.copies {
                    await (try world.delivery(copy, nil)).work()
                    let age = await copy.jobCount(.mail).oldestAge
                    #expect(age >= .zero && age < .seconds(1800))
                }
            }
        }

        private static let over = Statement(
            name: "test_mail_over", sql: "UPDATE jobs SET gives_up_at = now() - interval '1 second'")
        private static let sent = Statement(name: "test_mail_sent", sql: "UPDATE jobs SET done_at = now()")
    }
}
