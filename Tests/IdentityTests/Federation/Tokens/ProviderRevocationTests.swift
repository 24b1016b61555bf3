import TestSupport
import Networking
import Testing
import Text

@testable import Identity

extension WithStores {
    /// What becomes of providers' tokens when their identity goes.
    @Suite struct ProviderRevocationTests {
        @Test func `a deletion does not wait for Apple, and its tokens are revoked afterwards`() async throws {
            try await World.run { world in
                let provider = try FakeProvider(.silent)
                let context = try Context(world, provider)
                let member = try await world.a.signIn(.apple()).member
                try await context.keep("apple-refresh", of: .apple())
                try await world.a.parts.accounts.delete(member.id, caller: Copy.caller)
                #expect(provider.server.requests.isEmpty)
                #expect(try await context.counts() == [0, 1, 0])
                provider.become(.answers(status: 200, body: ""))
                await context.revocations.work()
                let form = try #require(provider.forms("/auth/revoke").first)
                #expect(form["token"] == "apple-refresh" && form["token_type_hint"] == "refresh_token")
                #expect(form["client_id"] == "app.town.example" && form["client_secret"] != nil)
                #expect(try await context.counts() == [0, 0, 0])
                #expect(try await world.a.events("provider_token_revoked").count == 1)
            }
        }

        @Test func `unlinking an identity revokes its tokens and leaves the others`() async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                let context = try Context(world, provider)
                let member = try await world.a.signUp()
                try await world.a.link(.apple(), to: member)
                try await world.a.link(.google(), to: member)
                try await context.keep("apple-refresh", of: .apple())
                try await context.keep("google-refresh", of: .google())
                try await world.a.unlink(.google, from: member)
                await context.revocations.work()
                #expect(provider.forms("/google/revoke") == [["token": "google-refresh"]])
                #expect(provider.forms("/auth/revoke").isEmpty)
                #expect(try await context.counts() == [1, 0, 0])
            }
        }

        @Test(arguments: ["invalid_grant", "invalid_token"]) func `a token that the provider no longer knows is revoked`(
            code: String
        ) async throws {
            try await World.run { world in
                let context = try Context(world, try FakeProvider(.answers(status: 400, body: #"{"error":"\#(code)"}"#)))
                try await Self.queue(1, world, context)
                await context.revocations.work()
                #expect(try await context.counts() == [0, 0, 0])
            }
        }

        @Test func `a revocation that fails is tried again after a pause, until it works`() async throws {
            try await World.run { world in
                let provider = try FakeProvider(.answers(status: 500, body: ""))
                let context = try Context(world, provider)
                try await Self.queue(1, world, context)
                await context.revocations.work()
                await context.revocations.work()
                #expect(provider.forms("/auth/revoke").count == 1)
                world.clock.advance(by: .seconds(10))
                await context.revocations.work()
                #expect(provider.forms("/auth/revoke").count == 2)
                #expect(try await context.counts() == [0, 1, 0])
                #expect(await world.a.jobCount(.providerRevocation).waiting == 1)
                provider.become(.answers(status: 200, body: ""))
                world.clock.advance(by: .seconds(30))
                await context.revocations.work()
                #expect(try await context.counts() == [0, 0, 0])
                #expect(await world.a.jobOutcomes(.providerRevocation) == [.failed: 2, .done: 1])
                #expect(await world.a.jobCount(.providerRevocation).waiting == 0)
            }
        }

        @Test func `after twelve attempts over a day it is given up, and stays to be taken up again`() async throws {
            try await World.run { world in
                let provider = try FakeProvider(.answers(status: 400, body: #"{"error":"invalid_client"}"#))
                let context = try Context(world, provider)
                try await Self.queue(1, world, context)
                for _ in 0..<20 {
                    await context.revocations.work()
                    world.clock.advance(by: .seconds(6 * 3600))
                }
                #expect(provider.forms("/auth/revoke").count == ProviderRevocations.policy.maximumAttempts)
                #expect(try await context.counts() == [0, 0, 1])
                #expect(await world.a.jobCount(.providerRevocation).givenUp == 1)
                #expect(try await world.a.events("provider_revocation_given_up").count == 1)
            }
        }

        @Test func `what was given up is deleted after a month`() async throws {
            try await World.run { world in
                let context = try Context(world, try FakeProvider(), masterKey: try Sample.masterKey(2))
                try await Self.queue(1, world, try Context(world, try FakeProvider()))
                await context.revocations.work()
                #expect(try await context.counts() == [0, 0, 1])
                world.clock.advance(by: .seconds(31 * 86_400))
                await context.revocations.work()
                #expect(try await context.counts() == [0, 0, 0])
            }
        }

        @Test func `copies that look at once revoke each token once`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let provider = try FakeProvider()
                let contexts = [try Context(world, provider), try Context(world, provider, on: world.b)]
                try await Self.queue(20, world, contexts[0])
                async let first: Void = contexts[0].revocations.work()
                async let second: Void = contexts[1].revocations.work()
                _ = await (first, second)
                let tokens = provider.forms("/auth/revoke").compactMap { $0["token"] }
                #expect(tokens.sorted() == (0..<20).map { "token-\($0)" }.sorted())
                #expect(try await contexts[0].counts() == [0, 0, 0])
            }
        }

        @Test func `what a copy has taken and not finished is another's once the lease is over`() async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                let context = try Context(world, provider)
                try await Self.queue(1, world, context)
                let now = world.clock.now
                let taken = try await world.a.parts.jobs.claim(
                    5, of: .providerRevocation, at: .given(now), for: ProviderRevocations.policy.lease)
                #expect(taken.count == 1)
                await context.revocations.work()
                #expect(provider.server.requests.isEmpty)
                world.clock.advance(by: ProviderRevocations.policy.lease)
                await context.revocations.work()
                #expect(provider.forms("/auth/revoke").count == 1)
            }
        }

        @Test func `without a key to ask Apple with, its tokens go on waiting`() async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                try await Self.queue(1, world, try Context(world, provider))
                await (try Context(world, provider, canAskApple: false)).revocations.work()
                #expect(provider.server.requests.isEmpty)
                let context = try Context(world, provider)
                #expect(try await context.counts() == [0, 1, 0])
                await context.revocations.work()
                #expect(try await context.counts() == [0, 0, 0])
            }
        }

        /// Lets users with a token each be deleted.
        private static func queue(_ count: Int, _ world: World, _ context: Context) async throws {
            for index in 0..<count {
                let verifiedToken = ProviderProof.apple("00\(index)", email: "user\(index)@gmail.com")
                let member = try await world.a.signIn(verifiedToken).member
                try await context.keep("token-\(index)", of: verifiedToken)
                try await world.a.parts.accounts.delete(member.id, caller: Copy.caller)
            }
        }
    }
}
