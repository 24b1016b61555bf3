import Crypto
import Logging
import Networking
import Outbound
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Mails from the outbox to a real mail server.
    @Suite struct MailDeliveryTests {
        @Test func `a mail is sent once, and its link forgotten`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let delivery = try world.delivery(world.a, server)
                try await world.put(1, language: .japanese)
                await delivery.work()
                await delivery.work()
                let messages = try server.messages()
                #expect(messages.map(\.recipients) == [["mei0@example.com"]] && messages.map(\.sender) == ["no-reply@id.example"])
                #expect(messages[0].text.contains("Content-Language: ja"))
                #expect(try await world.a.storedLinks() == 0)
                #expect(await world.a.mailOutcomes() == [.done: 1])
                #expect(await world.a.jobCount(.mail).waiting == 0)
                #expect(await world.a.run { $0.metrics.snapshot.isMailServerUp } == true)
                #expect(!world.logged.contains("SECRETcode") && !world.logged.contains("mei0"))
            }
        }

        @Test func `two copies share a hundred mails, and send each once`() async throws {
            let server = try TestSMTPServer()
            try await World.run({ $0.copies = 2 }) { world in
                let a = try world.delivery(world.a, server)
                let b = try world.delivery(world.b, server)
                try await world.put(100)
                server.pause()
                async let one: Void = a.work()
                async let other: Void = b.work()
                // Neither is done before the other has begun.
                try await eventually { try await world.a.takenMails() == 2 * MailDelivery.Policy().connections }
                server.resume()
                _ = await (one, other)
                let recipients = try server.messages().flatMap(\.recipients)
                #expect(recipients.count == 100 && Set(recipients).count == 100)
                let (ofA, ofB) = (await world.a.mailOutcomes(), await world.b.mailOutcomes())
                #expect((ofA[.done] ?? 0) + (ofB[.done] ?? 0) == 100)
                #expect(ofA[.done] ?? 0 > 0 && ofB[.done] ?? 0 > 0)
            }
        }

        @Test func `what a copy that died has taken is free again after the lease, and not before`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                try await world.put(1)
                let policy = MailDelivery.Policy().jobs
                let now = world.clock.now
                let taken = try await world.a.run { parts in
                    try await parts.jobs.claim(9, of: .mail, at: .given(now), for: policy.lease)
                }
                #expect(taken.count == 1 && taken[0].attempts == 1)
                let delivery = try world.delivery(world.a, server)
                world.clock.advance(by: policy.lease - .milliseconds(1))
                await delivery.work()
                #expect(try server.messages().isEmpty)
                world.clock.advance(by: .milliseconds(1))
                await delivery.work()
                #expect(try server.messages().count == 1)
            }
        }

        @Test func `a mail server that is down keeps no mail for good, and is one line in the log`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let delivery = try world.delivery(world.a, server)
                try await world.put(3)
                server.stop()
                for _ in 1...6 {
                    await delivery.work()
                    world.clock.advance(by: .seconds(60))
                }
                #expect(try await world.waitingMails().count == 3)
                #expect(await world.a.run { $0.metrics.snapshot.isMailServerUp } == false)
                #expect(world.logged.count(of: "all mail waits") == 1)
                try server.start()
                world.clock.advance(by: .seconds(900))
                await delivery.work()
                #expect(try server.messages().count == 3)
                #expect(world.logged.count(of: "takes mail again") == 1)
            }
        }

        @Test func `a mail that is put off is tried again after its pause, and arrives`() async throws {
            let server = try TestSMTPServer(faults: [.recipient("mei0@example.com"): .reply("451 later")])
            try await World.run { world in
                let delivery = try world.delivery(world.a, server)
                try await world.put(2)
                await delivery.work()
                // The other one is not held up.
                #expect(try server.messages().map(\.recipients) == [["mei1@example.com"]])
                try server.setFaults([:])
                world.clock.advance(by: MailDelivery.Policy.firstPause / 2 - .seconds(1))
                await delivery.work()
                #expect(try server.messages().count == 1)
                world.clock.advance(by: MailDelivery.Policy.firstPause)
                await delivery.work()
                #expect(try server.messages().count == 2)
                #expect(await world.a.mailOutcomes() == [.done: 2, .failed: 1])
            }
        }

        @Test func `a mail that is refused is given up at once, and never tried again`() async throws {
            let server = try TestSMTPServer(faults: [.recipient("mei0@example.com"): .reply("550 no such mailbox")])
            try await World.run { world in
                let delivery = try world.delivery(world.a, server)
                try await world.put(1)
                await delivery.work()
                try server.setFaults([:])
                world.clock.advance(by: .seconds(1800))
                await delivery.work()
                #expect(try server.messages().isEmpty)
                #expect(try await world.waitingMails().count == 0)
                #expect(try await world.a.storedLinks() == 0)
                let events = try await world.a.events("mail_given_up")
                #expect(events.count == 1 && events[0].userID != nil)
                #expect(await world.a.mailOutcomes() == [.givenUp: 1])
            }
        }

        @Test(arguments: ["tls", "authentication"])
        func `a mail server that takes nothing of us stops all mail, without using up an attempt`(_ trouble: String) async throws
        {
            let directory = try TestDirectory()
            let certificate = try TestCertificate(names: ["DNS:localhost"], in: directory)
            // Nobody trusts the certificate.
            let server = try TestSMTPServer(trouble == "tls" ? .startTLS(certificate) : .none, login: ("kidoban", "right"))
            try await World.run { world in
                try await world.put(2)
                let delivery = try world.delivery(
                    world.a, server, login: "kidoban", security: trouble == "tls" ? .startTLS : .none)
                for _ in 1...3 {
                    await delivery.work()
                    world.clock.advance(by: .seconds(400))
                }
                let mails = try await world.waitingMails()
                #expect(mails.map(\.attempts) == [0, 0])
                #expect(world.logged.count(of: "all mail waits") == 1 && world.logged.contains(#""trouble":"\#(trouble)""#))
                #expect(await world.a.mailOutcomes().isEmpty)
                #expect(try server.messages().isEmpty)
            }
        }

        @Test func `what does not open, or is of another version, holds up nothing`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                try await world.put(3)
                for statement in [Copy.mailOfTheFuture, Copy.sealedOtherwise] {
                    _ = try await world.a.run { parts in try await parts.postgres.query(statement) }
                }
                let delivery = try world.delivery(world.a, server) { $0.connections = 1 }
                await delivery.work()
                #expect(try server.messages().map(\.recipients) == [["mei2@example.com"]])
                #expect(await world.a.mailOutcomes() == [.done: 1, .failed: 1])
                #expect(try await world.waitingMails().count == 2)
            }
        }

        @Test func `a copy with another master key sends nothing, gives nothing up, and leaves it to the others`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                try await world.put(2)
                let stranger = try world.delivery(world.a, server, masterKey: try Sample.masterKey(9))
                await stranger.work()
                #expect(try server.messages().isEmpty)
                world.clock.advance(by: .seconds(60))
                await (try world.delivery(world.a, server)).work()
                #expect(try server.messages().count == 2)
            }
        }

        @Test func `what is of no use any more is not sent, and is forgotten in time`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let delivery = try world.delivery(world.a, server) { $0.retention = .seconds(3 * 3600) }
                try await world.put(1, life: .seconds(600), recipient: "late")
                world.clock.advance(by: .seconds(600))
                await delivery.work()
                #expect(try server.messages().isEmpty)
                #expect(await world.a.mailOutcomes() == [.expired: 1])
                #expect(try await world.a.storedLinks() == 0)
                try await world.put(1)
                await delivery.work()
                #expect(try await world.a.outboxRows() == 2)
                world.clock.advance(by: .seconds(60))
                await delivery.work()
                #expect(try await world.a.outboxRows() == 2)
                world.clock.advance(by: .seconds(3 * 3600 - 60))
                await delivery.work()
                #expect(try await world.a.outboxRows() == 0)
            }
        }

        @Test func `without a mail server mail waits, and is still cleared up`() async throws {
            try await World.run { world in
                let delivery = try world.delivery(world.a, nil)
                try await world.put(2)
                await delivery.work()
                #expect(try await world.waitingMails().count == 2)
                #expect(await world.a.jobCount(.mail).waiting == 2)
                #expect(await world.a.run { $0.metrics.snapshot.isMailServerUp } == nil)
                world.clock.advance(by: .seconds(3600))
                await delivery.work()
                #expect(await world.a.mailOutcomes() == [.expired: 2])
            }
        }

        @Test func `the signal has a mail sent at once, and after the end nothing is`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let signal = JobSignal()
                let delivery = try world.delivery(world.a, server, signal: signal, pollInterval: .seconds(3600))
                let running = Task(executorPreference: world.a.loop) { await delivery.run() }
                try await world.put(1)
                signal.ring(.mail)
                try await eventually { try server.messages().count == 1 }
                await delivery.close(by: Instant.now() + .seconds(30))
                await running.value
                try await world.put(1, recipient: "after")
                signal.ring(.mail)
                await delivery.work()
                #expect(try server.messages().count == 1)
            }
        }
    }
}

extension Copy {
    fileprivate static let mailOfTheFuture = Statement(
        name: "test_mail_kind", sql: "UPDATE jobs SET topic = 'of_the_future' WHERE payload ->> 'recipient' LIKE 'mei0%'")
    fileprivate static let sealedOtherwise = Statement(
        name: "test_mail_seal", sql: "UPDATE jobs SET sealed = '\\x00' WHERE payload ->> 'recipient' LIKE 'mei1%'")
    private static let links = Statement(name: "test_mail_links", sql: "SELECT count(sealed) FROM jobs")
    private static let taken = Statement(
        name: "test_mails_taken", sql: "SELECT count(*) FROM jobs WHERE attempts > 0")
    private static let rows = Statement(name: "test_mail_rows", sql: "SELECT count(*) FROM jobs")

    fileprivate func takenMails() async throws -> Int {
        Int(try await parts.postgres.query(Self.taken)[0].int64(0))
    }

    /// Links that are still in the outbox.
    fileprivate func storedLinks() async throws -> Int64 {
        try await parts.postgres.query(Self.links)[0].int64(0)
    }

    fileprivate func outboxRows() async throws -> Int64 {
        try await parts.postgres.query(Self.rows)[0].int64(0)
    }
}

extension String {
    fileprivate func count(of text: String) -> Int {
        ranges(of: text).count
    }
}
