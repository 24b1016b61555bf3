import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Apple's authorization codes, exchanged at a server on this machine.
    @Suite struct CodeExchangeTests {
        private static let code = "c1234.0.abcd"

        @Test func `a code becomes a refresh token that is stored sealed, for the person and the app`() async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                let context = try Context(world, provider)
                let member = try await world.a.signIn(.apple()).member
                try await context.exchange(Self.code, of: .apple(), member)
                let form = try #require(provider.forms("/auth/token").first)
                #expect(form["grant_type"] == "authorization_code" && form["code"] == Self.code)
                #expect(form["client_id"] == "app.town.example" && form["redirect_uri"] == nil)
                #expect(form["client_secret"]?.split(separator: ".").count == 3)
                let sealed = try #require(try await context.sealedTokens().first)
                #expect(!String(decoding: sealed, as: UTF8.self).contains("apple-refresh"))
                let grant = ProviderTokenOwner(provider: .apple, subject: "001234.abcdef.0987", clientID: "app.town.example")
                let opened = try SealedProviderToken(sealed: sealed).open(grant, with: world.masterKey)
                #expect(opened.revealedText == "apple-refresh")
                #expect(try await world.a.events("code_exchanged").map(\.userID) == [member.id.description])
                #expect(await world.a.run { $0.metrics.snapshot.providerTokens.exchanges } == [.succeeded: 1])
            }
        }

        @Test func `a later code's token takes the place of the first`() async throws {
            try await World.run { world in
                let context = try Context(world, try FakeProvider())
                let member = try await world.a.signIn(.apple()).member
                try await context.exchange(Self.code, of: .apple(), member)
                let first = try await context.sealedTokens()
                try await context.exchange("another", of: .apple(), member)
                #expect(try await context.counts() == [1, 0, 0])
                #expect(try await context.sealedTokens() != first)
            }
        }

        @Test(
            arguments: [
                (.answers(status: 400, body: #"{"error":"invalid_grant"}"#), "refused"),
                (.answers(status: 400, body: #"{"error":"invalid_client"}"#), "refused"),
                (.answers(status: 500, body: "oops"), "unavailable"), (.answers(status: 200, body: "{}"), "unavailable"),
                (.answers(status: 200, body: #"{"refresh_token":"r","id_token":"a.b.c"}"#), "wrong_id_token"),
                (.good(subject: "009999.somebody.else", audience: "app.town.example"), "wrong_id_token"),
                (.good(subject: "001234.abcdef.0987", audience: "another.app"), "wrong_id_token"),
            ] as [(FakeProvider.Mood, String)])
        func `what Apple refuses or answers wrongly is not stored, and is in the audit log`(
            mood: FakeProvider.Mood, reason: String
        ) async throws {
            try await World.run { world in
                let context = try Context(world, try FakeProvider(mood))
                let member = try await world.a.signIn(.apple()).member
                try await context.exchange(Self.code, of: .apple(), member)
                #expect(try await context.counts() == [0, 0, 0])
                #expect(try await world.a.events("code_exchange_failed").map(\.reason) == [reason])
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        @Test func `a silent Apple is waited for behind the back of who signs in, and not for ever`() async throws {
            try await World.run { world in
                let context = try Context(world, try FakeProvider(.silent), timeout: .milliseconds(300))
                let member = try await world.a.signIn(.apple()).member
                await context.codes.take(
                    SecretString(Self.code), of: try ProviderProof.apple().token(), userID: member.id, caller: Copy.caller)
                #expect(try await world.a.isActive(member.accessToken))
                await context.codes.close()
                #expect(try await world.a.events("code_exchange_failed").map(\.reason) == ["unavailable"])
            }
        }

        @Test func `codes beyond the limit are dropped at once`() async throws {
            try await World.run { world in
                let context = try Context(world, try FakeProvider(.silent), timeout: .milliseconds(300))
                let member = try await world.a.signIn(.apple()).member
                let verifiedToken = try ProviderProof.apple().token()
                // In one go on their loop, so that none is over before the last has come.
                await world.a.run { _ in
                    for _ in 0...AuthorizationCodes.limit {
                        await context.codes.take(
                            SecretString(Self.code), of: verifiedToken, userID: member.id, caller: Copy.caller)
                    }
                }
                await context.codes.close()
                let failures = try await world.a.events("code_exchange_failed", count: AuthorizationCodes.limit + 1)
                #expect(failures.filter { $0.reason == "overloaded" }.count == 1)
            }
        }

        @Test func `codes of other providers, and all while there is no key, are ignored`() async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                let member = try await world.a.signIn(.google()).member
                try await Context(world, provider).exchange(Self.code, of: .google(), member)
                try await Context(world, provider, canAskApple: false).exchange(Self.code, of: .apple(), member)
                #expect(provider.server.requests.isEmpty)
            }
        }

        @Test func `the token of a user who went meanwhile is queued for revocation`() async throws {
            try await World.run { world in
                let provider = try FakeProvider()
                let context = try Context(world, provider)
                let member = try await world.a.signIn(.apple()).member
                try await world.a.parts.accounts.delete(member.id, caller: Copy.caller)
                try await context.exchange(Self.code, of: .apple(), member)
                #expect(try await context.counts() == [0, 1, 0])
                #expect(try await world.a.events("code_exchange_failed").map(\.reason) == ["user_gone"])
                await context.revocations.work()
                #expect(provider.forms("/auth/revoke").map { $0["token"] } == ["apple-refresh"])
            }
        }

        @Test func `a code belongs to the id token that has its hash, or none`() throws {
            // OpenID Connect Core, appendix A.4.
            let code = SecretString("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
            var verifiedToken = ProviderProof.apple()
            #expect(AuthorizationCodes.belongs(code, to: try verifiedToken.token()))
            verifiedToken.codeHash = "LDktKdoQak3Pk0cnXxCltA"
            #expect(AuthorizationCodes.belongs(code, to: try verifiedToken.token()))
            #expect(!AuthorizationCodes.belongs(SecretString("another"), to: try verifiedToken.token()))
        }
    }
}
