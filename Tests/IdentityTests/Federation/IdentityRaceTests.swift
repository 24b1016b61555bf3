import Testing

@testable import Identity

extension WithStores {
    /// Many at once, on two copies.
    @Suite struct IdentityRaceTests {
        private func all(_ providerTokens: [ProviderProof], on world: World) async throws -> [(member: Member, isNew: Bool)] {
            let copies = world.copies
            return try await withThrowingTaskGroup(of: (member: Member, isNew: Bool).self) { group in
                for (index, verifiedToken) in providerTokens.enumerated() {
                    group.addTask { try await copies[index % copies.count].signIn(verifiedToken) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        @Test func `first sign-ins at once make one user, and all are signed in`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                for round in 0..<10 {
                    let verifiedToken = ProviderProof.google("s\(round)", email: "user\(round)@gmail.com")
                    let results = try await all(Array(repeating: verifiedToken, count: 8), on: world)
                    #expect(Set(results.map(\.member.id)).count == 1)
                    #expect(results.count { $0.isNew } == 1)
                    #expect(try await world.a.active(results.map(\.member.accessToken)).allSatisfy(\.self))
                    #expect(try await world.a.userCount() == Int64(round + 1))
                }
            }
        }

        @Test func `twenty first sign-ins at once are held back by no limit of the address`() async throws {
            try await World.run({
                $0.copies = 2
                $0.limits = LimitSettings()
            }) { world in
                let results = try await all(Array(repeating: .google(), count: 20), on: world)
                #expect(Set(results.map(\.member.id)).count == 1)
            }
        }

        @Test func `what strangers have used up of an address is nothing to who proves that it is theirs`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                let copy = world.a
                var refusals = 0
                for _ in 0..<12 {
                    do {
                        _ = try await copy.run {
                            try await $0.accounts.limiter.take(.permittedSignUp(account: "anna@gmail.com"), Copy.caller)
                        }
                    } catch IdentityError.service(.tooManyRequests) {
                        refusals += 1
                    }
                }
                #expect(refusals == 2)
                #expect(try await copy.signIn(.google()).isNew)
            }
        }

        @Test func `first sign-ins of one person at two providers at once make one user`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                for round in 0..<10 {
                    let email = "user\(round)@gmail.com"
                    let providerTokens = [ProviderProof.google("g\(round)", email: email), .apple("a\(round)", email: email)]
                    let results = try await all(providerTokens + providerTokens, on: world)
                    #expect(Set(results.map(\.member.id)).count == 1)
                    #expect(try await world.a.identities(of: results[0].member.id).count == 2)
                }
            }
        }

        @Test func `one identity with two addresses at once is one user`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                for round in 0..<10 {
                    let providerTokens = ["x", "y"].map { ProviderProof.google("s\(round)", email: "\($0)\(round)@gmail.com") }
                    let results = try await all(providerTokens, on: world)
                    #expect(Set(results.map(\.member.id)).count == 1)
                }
                #expect(try await world.a.userCount() == 10)
            }
        }

        @Test func `who takes an account back twice at once stays signed in both times`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                for round in 0..<10 {
                    let email = "user\(round)@gmail.com"
                    let hijacker = try await world.a.signUp(email)
                    let verifiedToken = ProviderProof.google("s\(round)", email: email)
                    let results = try await all([verifiedToken, verifiedToken, verifiedToken, verifiedToken], on: world)
                    #expect(results.allSatisfy { $0.member.id == hijacker.id })
                    #expect(try await world.a.active(results.map(\.member.accessToken)).allSatisfy(\.self))
                    #expect(try await !world.a.isActive(hijacker.accessToken))
                }
            }
        }

        @Test func `a hijacker who links and signs in meanwhile is not in the account afterwards`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for round in 0..<10 {
                    let email = "user\(round)@gmail.com"
                    let hijacker = try await a.signUp(email)
                    let mallory = ProviderProof.apple("m\(round)", email: "mallory\(round)@town.example")
                    async let owner = a.signIn(.google("s\(round)", email: email)).member
                    async let linked: Void? = try? b.link(mallory, to: hijacker)
                    async let entered = try? b.signIn(email)
                    let (member, _, intruder) = (try await owner, await linked, await entered)
                    #expect(member.id == hijacker.id)
                    #expect(try await a.identities(of: member.id).map(\.provider) == [.google])
                    if let intruder { #expect(try await !a.isActive(intruder.accessToken)) }
                    #expect(try await a.active([hijacker.accessToken, member.accessToken]) == [false, true])
                }
            }
        }

        @Test func `of two who link one identity at once, one has it`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                let (anna, berta) = (try await a.signUp("anna@town.example"), try await a.signUp("berta@town.example"))
                async let first: Void? = try? a.link(.google(), to: anna)
                async let second: Void? = try? b.link(.google(), to: berta)
                let outcomes = await [first, second]
                #expect(outcomes.count { $0 != nil } == 1)
                let counts = [try await a.identities(of: anna.id).count, try await a.identities(of: berta.id).count]
                #expect(counts.sorted() == [0, 1])
            }
        }

        @Test func `of the last two ways in, taken away at once, one stays`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for round in 0..<10 {
                    let member = try await a.signIn(.google("g\(round)", email: "user\(round)@gmail.com")).member
                    try await a.link(.apple("a\(round)", email: nil), to: member)
                    async let first: Void? = try? a.unlink(.google, from: member)
                    async let second: Void? = try? b.unlink(.apple, from: member)
                    _ = await (first, second)
                    #expect(try await a.identities(of: member.id).count == 1)
                }
            }
        }
    }
}
