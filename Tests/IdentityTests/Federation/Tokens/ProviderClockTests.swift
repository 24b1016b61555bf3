import Postgres
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Providers' tokens and notices at two copies, of which the second is 40 days ahead or behind: PostgreSQL's clock decides.
    @Suite struct ProviderClockTests {
        private static let days = Duration.seconds(40 * 86_400)

        @Test func `who is ahead takes no revocation that another has under way, or that was put off`() async throws {
            try await World.runApart(by: Self.days) { world in
                let provider = try FakeProvider(.answers(status: 500, body: ""))
                let (context, other) = (try Context(world, provider), try Context(world, provider, on: world.b))
                try await Self.queue(1, world, context)
                let taken = try await world.a.parts.jobs.claim(
                    5, of: .providerRevocation, at: .postgres, for: ProviderRevocations.policy.lease)
                await other.revocations.work()
                #expect(taken.count == 1 && provider.forms("/auth/revoke").isEmpty)
                let claim = try #require(taken.first)
                try await world.a.parts.jobs.postpone(claim, by: .zero, because: "a test", at: .postgres)
                await other.revocations.work()
                await other.revocations.work()
                await context.revocations.work()
                #expect(provider.forms("/auth/revoke").count == 1)
            }
        }

        @Test func `who is behind revokes at once`() async throws {
            try await World.runApart(by: .zero - Self.days) { world in
                let provider = try FakeProvider()
                let other = try Context(world, provider, on: world.b)
                try await Self.queue(1, world, other)
                await other.revocations.work()
                #expect(provider.forms("/auth/revoke").count == 1)
            }
        }

        @Test func `who is ahead deletes nothing that was given up only now`() async throws {
            try await World.runApart(by: Self.days) { world in
                let stranger = try Context(world, try FakeProvider(), masterKey: try Sample.masterKey(2))
                let other = try Context(world, try FakeProvider(), on: world.b)
                try await Self.queue(1, world, other)
                await stranger.revocations.work()
                #expect(try await other.counts() == [0, 0, 1])
                await other.revocations.work()
                #expect(try await other.counts() == [0, 0, 1])
            }
        }

        /// Changes without a time of the provider's, and with one.
        @Test(arguments: [days, .zero - days], [true, false])
        func `of two changes of a relay address the later one holds, wherever they were told`(
            ahead: Duration, isTimed: Bool
        ) async throws {
            try await World.runApart(by: ahead) { world in
                _ = try await world.a.signIn(.apple())
                let subject = ProviderProof.apple().subject
                for (number, copy) in [world.b, world.a, world.b, world.a, world.a].enumerated() {
                    let isOn = number.isMultiple(of: 2)
                    let time = isTimed ? Timestamp.now() : nil
                    try await NoticeStore(pool: copy.parts.postgres).setMailForwarding(
                        .apple, subject, isOn: isOn, since: time, at: copy.system.statementTime)
                    let stored = try await world.a.parts.postgres.query(Self.forwarding)[0].optionalBool(0)
                    #expect(stored == isOn, "after \(number)")
                }
            }
        }

        private static func queue(_ count: Int, _ world: World, _ context: Context) async throws {
            let member = try await world.a.signIn(.apple()).member
            try await context.keep("apple-refresh", of: .apple())
            try await world.a.parts.accounts.delete(member.id, caller: Copy.caller)
        }

        private static let forwarding = Statement(
            name: "test_provider_forwarding", sql: "SELECT mail_forwarding FROM identities")
    }
}
