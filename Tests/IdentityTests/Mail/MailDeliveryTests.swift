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
        private static let link = "https://id.example/account/password?code=SECRETcode"

        /// A copy's delivery, on its loop.
        private func delivery(
            _ copy: Copy, _ world: World, _ server: TestSMTPServer?, masterKey: MasterKey? = nil, login: String? = nil,
            security: SMTPConfiguration.Security = .none, bell: MailBell = MailBell(),
            _ change: (inout MailDelivery.Policy) -> Void = { _ in }
        ) throws -> MailDelivery {
            var policy = MailDelivery.Policy()
            policy.timeout = .seconds(30)
            change(&policy)
            let client = server.map { server in
                SMTPClient(
                    SMTPConfiguration(
                        host: "127.0.0.1", port: server.port, security: security, username: login,
                        password: SecretString(login == nil ? "" : "wrong"), greetingName: "id.example", timeout: .seconds(30)))
            }
            let sender = try #require(MailSender("Kidoban <no-reply@id.example>"))
            let (rooms, clock) = (copy.rooms, world.clock)
            return MailDelivery(
                queue: MailQueue(pool: rooms.postgres, seal: try MailSeal(masterKey ?? world.masterKey)), client: client,
                composer: MailComposer(sender: sender, templates: .builtIn), policy: policy, audit: rooms.audit,
                metrics: rooms.metrics,
                ambience: Ambience(now: { clock.now }, random: { SecureRandom.bytes($0) }), bell: bell, loop: copy.loop,
                logger: world.logger)
        }

        /// Mails for one new user, at other addresses of the mail server's.
        private func put(
            _ count: Int, into world: World, kind: Mail.Kind = .passwordReset, language: Mail.Language = .english,
            life: Duration = .seconds(3600), recipient: String = "mei"
        ) async throws {
            let id = try await world.a.signUp("\(recipient)-owner@example.com").id
            let now = world.clock.now
            for index in 0..<count {
                let mail = Mail(
                    id: UUID(version7At: now, random: SecureRandom.bytes(10)), userID: id, kind: kind,
                    recipient: "\(recipient)\(index)@example.com", language: language, link: SecretString(Self.link),
                    createdAt: now, expiresAt: now.adding(life))
                try await world.a.run { rooms in try await rooms.outbox.add(mail) }
            }
        }

        private func outcomes(_ copy: Copy) async -> [MailCounters.Outcome: UInt64] {
            let outcomes = await copy.run { $0.metrics.snapshot.mails.outcomes }
            return Dictionary(outcomes.map { ($0.key.outcome, $0.value) }, uniquingKeysWith: +)
        }

        private func waiting(_ world: World) async throws -> Int {
            let now = world.clock.now
            return try await world.a.run { rooms in try await rooms.outbox.waiting(1000, at: now).count }
        }

        @Test func `a mail is sent once, and its link forgotten`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let delivery = try delivery(world.a, world, server)
                try await put(1, into: world, language: .japanese)
                await delivery.work()
                await delivery.work()
                let messages = try server.messages()
                #expect(messages.map(\.recipients) == [["mei0@example.com"]] && messages.map(\.sender) == ["no-reply@id.example"])
                #expect(messages[0].text.contains("Content-Language: ja"))
                #expect(try await world.a.storedLinks() == 0)
                #expect(await outcomes(world.a) == [.sent: 1])
                let counters = await world.a.run { $0.metrics.snapshot.mails }
                #expect(counters.waiting == 0 && counters.isServerUp == true)
                #expect(!world.logged.contains("SECRETcode") && !world.logged.contains("mei0"))
            }
        }

        @Test func `two copies share a hundred mails, and send each once`() async throws {
            let server = try TestSMTPServer()
            try await World.run({ $0.copies = 2 }) { world in
                let a = try delivery(world.a, world, server)
                let b = try delivery(world.b, world, server)
                try await put(100, into: world)
                async let one: Void = a.work()
                async let other: Void = b.work()
                _ = await (one, other)
                let recipients = try server.messages().flatMap(\.recipients)
                #expect(recipients.count == 100 && Set(recipients).count == 100)
                let (ofA, ofB) = (await outcomes(world.a), await outcomes(world.b))
                #expect((ofA[.sent] ?? 0) + (ofB[.sent] ?? 0) == 100)
                #expect(ofA[.sent] ?? 0 > 0 && ofB[.sent] ?? 0 > 0)
            }
        }

        @Test func `what a copy that died has taken is free again after the lease, and not before`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                try await put(1, into: world)
                let queue = MailQueue(pool: world.a.rooms.postgres, seal: try MailSeal(world.masterKey))
                let policy = MailDelivery.Policy()
                let now = world.clock.now
                let taken = try await world.a.run { _ in try await queue.claim(9, at: now, until: now.adding(policy.lease)) }
                #expect(taken.count == 1 && taken[0].attempts == 1)
                let delivery = try delivery(world.a, world, server)
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
                let delivery = try delivery(world.a, world, server)
                try await put(3, into: world)
                server.stop()
                for _ in 1...6 {
                    await delivery.work()
                    world.clock.advance(by: .seconds(60))
                }
                #expect(try await waiting(world) == 3)
                #expect(await world.a.run { $0.metrics.snapshot.mails.isServerUp } == false)
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
                let delivery = try delivery(world.a, world, server)
                try await put(2, into: world)
                await delivery.work()
                // The other one is not held up.
                #expect(try server.messages().map(\.recipients) == [["mei1@example.com"]])
                try server.setFaults([:])
                world.clock.advance(by: MailSchedule.firstPause / 2 - .seconds(1))
                await delivery.work()
                #expect(try server.messages().count == 1)
                world.clock.advance(by: MailSchedule.firstPause)
                await delivery.work()
                #expect(try server.messages().count == 2)
                #expect(await outcomes(world.a) == [.sent: 2, .deferred: 1])
            }
        }

        @Test func `a mail that is refused is given up at once, and never tried again`() async throws {
            let server = try TestSMTPServer(faults: [.recipient("mei0@example.com"): .reply("550 no such mailbox")])
            try await World.run { world in
                let delivery = try delivery(world.a, world, server)
                try await put(1, into: world)
                await delivery.work()
                try server.setFaults([:])
                world.clock.advance(by: .seconds(1800))
                await delivery.work()
                #expect(try server.messages().isEmpty)
                #expect(try await waiting(world) == 0)
                #expect(try await world.a.storedLinks() == 0)
                let events = try await world.a.events("mail_given_up")
                #expect(events.count == 1 && events[0].userID != nil)
                #expect(await outcomes(world.a) == [.refused: 1])
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
                try await put(2, into: world)
                let delivery = try delivery(
                    world.a, world, server, login: "kidoban", security: trouble == "tls" ? .startTLS : .none)
                for _ in 1...3 {
                    await delivery.work()
                    world.clock.advance(by: .seconds(400))
                }
                let now = world.clock.now
                let mails = try await world.a.run { rooms in try await rooms.outbox.waiting(9, at: now) }
                #expect(mails.map(\.attempts) == [0, 0])
                #expect(world.logged.count(of: "all mail waits") == 1 && world.logged.contains(#""trouble":"\#(trouble)""#))
                #expect(await outcomes(world.a).isEmpty)
                #expect(try server.messages().isEmpty)
            }
        }

        @Test func `what does not open, or is of another version, holds up nothing`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                try await put(3, into: world)
                for statement in [Copy.mailOfTheFuture, Copy.sealedOtherwise] {
                    _ = try await world.a.run { rooms in try await rooms.postgres.query(statement) }
                }
                let delivery = try delivery(world.a, world, server) { $0.connections = 1 }
                await delivery.work()
                #expect(try server.messages().map(\.recipients) == [["mei2@example.com"]])
                #expect(await outcomes(world.a) == [.sent: 1, .unreadable: 1])
                #expect(try await waiting(world) == 2)
            }
        }

        @Test func `a copy with another master key sends nothing, gives nothing up, and leaves it to the others`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                try await put(2, into: world)
                let stranger = try delivery(world.a, world, server, masterKey: try Sample.masterKey(9))
                await stranger.work()
                #expect(try server.messages().isEmpty)
                world.clock.advance(by: .seconds(60))
                await (try delivery(world.a, world, server)).work()
                #expect(try server.messages().count == 2)
            }
        }

        @Test func `what is of no use any more is not sent, and is forgotten in time`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let delivery = try delivery(world.a, world, server) { $0.retention = .seconds(3 * 3600) }
                try await put(1, into: world, life: .seconds(600), recipient: "late")
                world.clock.advance(by: .seconds(600))
                await delivery.work()
                #expect(try server.messages().isEmpty)
                #expect(await outcomes(world.a) == [.expired: 1])
                #expect(try await world.a.storedLinks() == 0)
                try await put(1, into: world)
                await delivery.work()
                #expect(try await world.a.outboxRows() == 2)
                world.clock.advance(by: .seconds(3 * 3600 - 600))
                await delivery.work()
                #expect(try await world.a.outboxRows() == 1)
            }
        }

        @Test func `without a mail server mail waits, and is still cleared up`() async throws {
            try await World.run { world in
                let delivery = try delivery(world.a, world, nil)
                try await put(2, into: world)
                await delivery.work()
                #expect(try await waiting(world) == 2)
                let counters = await world.a.run { $0.metrics.snapshot.mails }
                #expect(counters.waiting == 2 && counters.isServerUp == nil)
                world.clock.advance(by: .seconds(3600))
                await delivery.work()
                #expect(await outcomes(world.a) == [.expired: 2])
            }
        }

        @Test func `the bell has a mail sent at once, and after the end nothing is`() async throws {
            let server = try TestSMTPServer()
            try await World.run { world in
                let bell = MailBell()
                let delivery = try delivery(world.a, world, server, bell: bell) { $0.pollInterval = .seconds(3600) }
                let running = Task(executorPreference: world.a.loop) { await delivery.run() }
                try await put(1, into: world)
                bell.ring()
                try await eventually { try server.messages().count == 1 }
                await delivery.close(by: Instant.now() + .seconds(30))
                await running.value
                try await put(1, into: world, recipient: "after")
                bell.ring()
                await delivery.work()
                #expect(try server.messages().count == 1)
            }
        }
    }
}

extension Copy {
    fileprivate static let mailOfTheFuture = Statement(
        name: "test_mail_kind", sql: "UPDATE mail_outbox SET kind = 'of_the_future' WHERE recipient LIKE 'mei0%'")
    fileprivate static let sealedOtherwise = Statement(
        name: "test_mail_seal", sql: "UPDATE mail_outbox SET sealed_content = '\\x00' WHERE recipient LIKE 'mei1%'")
    private static let links = Statement(name: "test_mail_links", sql: "SELECT count(sealed_content) FROM mail_outbox")
    private static let rows = Statement(name: "test_mail_rows", sql: "SELECT count(*) FROM mail_outbox")

    /// Links that are still in the outbox.
    fileprivate func storedLinks() async throws -> Int64 {
        try await rooms.postgres.query(Self.links)[0].int64(0)
    }

    fileprivate func outboxRows() async throws -> Int64 {
        try await rooms.postgres.query(Self.rows)[0].int64(0)
    }
}

extension String {
    fileprivate func count(of text: String) -> Int {
        ranges(of: text).count
    }
}
