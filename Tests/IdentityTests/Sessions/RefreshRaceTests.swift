import Testing
import Text

@testable import Identity

extension WithStores {
    /// Requests at once, from two running copies.
    @Suite struct RefreshRaceTests {
        /// The answers to so many refreshes with one token at once, half of them on each copy; nil where one was refused.
        private func refreshes(_ token: SecretString, count: Int, on copies: [Copy]) async throws -> [SessionTokens?] {
            try await withThrowingTaskGroup(of: SessionTokens?.self) { group in
                for number in 0..<count {
                    let copy = copies[number % copies.count]
                    group.addTask {
                        do {
                            return try await copy.refresh(token)
                        } catch IdentityError.session(.invalidRefreshToken) {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test func `a hundred refreshes at once with one token agree on one successor`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                var token = try await world.a.signUp().refreshToken
                for _ in 1...10 {
                    let answers = try await refreshes(token, count: 100, on: world.copies).compactMap(\.self)
                    #expect(answers.count == 100)
                    #expect(Set(answers.map(\.refreshToken.revealedText)).count == 1)
                    #expect(Set(answers.map(\.accessToken.revealedText)).count == 100)
                    #expect(try await world.b.active(answers.map(\.accessToken)) == [Bool](repeating: true, count: 100))
                    token = try #require(answers.first).refreshToken
                    try await world.pass(.seconds(1000))
                }
                let counts = await (world.a.run { $0.metrics.snapshot.refreshes }, world.b.run { $0.metrics.snapshot.refreshes })
                #expect(counts.0[.rotate, default: 0] + counts.1[.rotate, default: 0] == 10)
                #expect(counts.0[.replay, default: 0] + counts.1[.replay, default: 0] == 990)
            }
        }

        @Test func `in strict mode one of a hundred rotates, and the session does not survive the others`() async throws {
            try await World.run {
                $0.copies = 2
                $0.policy = .strict
            } _: { world in
                for number in 1...10 {
                    let member = try await world.a.signUp("anna\(number)@town.example")
                    let answers = try await refreshes(member.refreshToken, count: 100, on: world.copies)
                    #expect(answers.count { $0 != nil } <= 1)
                    #expect(try await world.a.liveTokens(of: member.id) == [])
                    for case let answer? in answers { #expect(try await !world.b.isActive(answer.refreshToken)) }
                }
            }
        }

        @Test func `when all sessions of a user have been ended, no refresh that ran beside it has left a token alive`()
            async throws
        {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for number in 1...100 {
                    let member = try await a.signUp("anna\(number)@town.example")
                    let handedOut = try await withThrowingTaskGroup(of: [SecretString].self) { group in
                        for copy in [a, b, a, b] {
                            group.addTask {
                                var (tokens, handedOut) = (member.tokens, [SecretString]())
                                while true {
                                    do {
                                        tokens = try await copy.refresh(tokens.refreshToken)
                                        handedOut.append(tokens.accessToken)
                                    } catch IdentityError.session(.invalidRefreshToken) {
                                        return handedOut
                                    }
                                }
                            }
                        }
                        try await b.run { try await $0.sessions.endAll(of: member.id, reason: .revoked) }
                        let live = try await b.liveTokens(of: member.id)
                        // One that was stored and not admitted may be there for a moment. Nobody has it.
                        let answers = try await group.reduce(into: []) { $0 += $1 }
                        let hashes = Set(answers.map { AccessTokenHash(of: $0.revealedText).key })
                        #expect(hashes.isDisjoint(with: live))
                        return answers
                    }
                    #expect(try await a.active(handedOut) == [Bool](repeating: false, count: handedOut.count))
                    #expect(try await a.liveTokens(of: member.id) == [])
                }
            }
        }

        @Test func `a sign-out beside a refresh wins`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for number in 1...100 {
                    let member = try await a.signUp("anna\(number)@town.example")
                    async let refreshed = try? a.refresh(member.refreshToken)
                    async let signedOut: Void = b.run {
                        try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller)
                    }
                    try await signedOut
                    if let tokens = await refreshed {
                        #expect(try await a.active([tokens.accessToken, tokens.refreshToken]) == [false, false])
                    }
                    #expect(try await a.liveTokens(of: member.id) == [])
                }
            }
        }
    }
}
