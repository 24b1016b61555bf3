import Redis
import Testing
import Text

@testable import Identity

extension WithStores {
    /// The table of the rotation, through the parts.
    @Suite struct RefreshTests {
        @Test func `for a client whose rule is rotation every session rotates, whatever it asks for`() async throws {
            try await World.run({ $0.client = World.app(rotates: true) }) { world in
                let member = try await world.a.signUp(kind: .static)
                #expect(member.tokens.rotates)
                let next = try await world.a.refresh(member.refreshToken)
                #expect(next.rotates)
                #expect(next.refreshToken.revealedText != member.refreshToken.revealedText)
                try await world.pass(.seconds(86_400))
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(next.refreshToken) }
            }
        }

        @Test func `a refresh makes one access token, as a client protocol wants it written`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let before = try await world.a.keyspace().keys("at:").count
                let refreshed = try await world.a.run { parts in
                    try await parts.sessions.refresh(
                        member.refreshToken, RefreshOptions(for: parts.app.id), caller: Copy.caller
                    ) { session throws(IdentityError) in
                        return { facts throws(IdentityError) in SecretString("\(session.id) \(facts.tokenID)") }
                    }
                }
                #expect(refreshed.accessToken.revealedText.hasPrefix("\(member.sessionID) "))
                #expect(try await world.a.isActive(refreshed.accessToken))
                #expect(try await world.a.keyspace().keys("at:").count == before + 1)
            }
        }

        @Test func `a session that was static before the rule rotates from its next refresh on`() async throws {
            try await World.run({ $0.client = World.app(rotates: true) }) { world in
                let member = try await world.a.signUp()
                try await world.a.run { parts in
                    let store = parts.sessions.store
                    guard case .live(let session) = try await store.record(member.sessionID, at: Sample.now) else { return }
                    let before = Session(
                        id: session.id, userID: session.userID, owner: session.owner, clientID: session.clientID,
                        methods: session.methods, device: session.device, createdAt: session.createdAt,
                        authenticatedAt: session.authenticatedAt, absoluteEnd: session.absoluteEnd,
                        lastUsedAt: session.lastUsedAt, salt: session.salt,
                        grants: [Grant(id: .first, clientID: session.clientID, refresh: RefreshRotation(mode: .static))])
                    try await store.replace(session.id, with: SessionRecord.bytes(of: before, accessToken: nil))
                }
                let next = try await world.a.refresh(member.refreshToken)
                #expect(next.rotates)
                #expect(try await world.a.refresh(next.refreshToken).rotates)
            }
        }

        /// What is in a session's refresh token, read from its text.
        private func generation(_ token: SecretString) -> String {
            String(token.revealedText.split(separator: ".")[1])
        }

        @Test func `the current token gives way to the next generation`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                #expect(generation(member.refreshToken) == "1")
                let next = try await world.a.refresh(member.refreshToken)
                #expect(generation(next.refreshToken) == "2")
                #expect(next.session.id == member.sessionID)
                // The old access token lives out its own life.
                #expect(try await world.a.active([member.accessToken, next.accessToken]) == [true, true])
                let after = try await world.a.refresh(next.refreshToken)
                #expect(generation(after.refreshToken) == "3")
            }
        }

        @Test(arguments: [.zero, .seconds(1), .milliseconds(59_999), .seconds(-30)] as [Duration])
        func `within the grace the parent gets the very same successor again`(age: Duration) async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let first = try await world.a.refresh(member.refreshToken)
                try await world.pass(age)
                let again = try await world.a.refresh(member.refreshToken)
                #expect(again.refreshToken.revealedText == first.refreshToken.revealedText)
                #expect(again.accessToken.revealedText != first.accessToken.revealedText)
                #expect(try await world.a.active([first.accessToken, again.accessToken]) == [true, true])
                _ = try await world.a.refresh(again.refreshToken)
            }
        }

        @Test(arguments: [.seconds(60), .seconds(600), .milliseconds(86_399_999)] as [Duration])
        func `after the grace the unseen successor is skipped and its access token dies`(age: Duration) async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let lost = try await world.a.refresh(member.refreshToken)
                try await world.pass(age)
                let recovered = try await world.a.refresh(member.refreshToken)
                #expect(generation(recovered.refreshToken) == "3")
                #expect(try await world.a.active([lost.accessToken, recovered.accessToken]) == [false, true])
                #expect(try await world.a.active([lost.refreshToken, recovered.refreshToken]) == [false, true])
                // A second lost response is recovered like the first.
                try await world.pass(.seconds(60))
                let twice = try await world.a.refresh(member.refreshToken)
                #expect(generation(twice.refreshToken) == "4")
                #expect(try await world.a.active([recovered.accessToken, twice.accessToken]) == [false, true])
            }
        }

        @Test func `after the recovery the parent is reuse`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let next = try await world.a.refresh(member.refreshToken)
                try await world.pass(.seconds(86_400))
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(next.refreshToken) }
            }
        }

        @Test func `reuse ends the session and every token of it at once, and says so in an event`() async throws {
            try await World.run { world in
                let other = try await world.a.signUp("berta@town.example")
                let member = try await world.a.signUp()
                let second = try await world.a.refresh(member.refreshToken)
                let third = try await world.a.refresh(second.refreshToken)
                let tokens = [
                    member.accessToken, second.accessToken, third.accessToken, member.refreshToken, second.refreshToken,
                    third.refreshToken,
                ]
                #expect(try await world.a.active(tokens) == [true, true, true, false, true, true])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                #expect(try await world.a.active(tokens) == [Bool](repeating: false, count: 6))
                #expect(try await world.a.liveTokens(of: member.id) == [])
                #expect(try await world.a.run { try await $0.sessions.list(of: member.id) }.isEmpty)
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(third.refreshToken) }
                // Nobody else is touched.
                #expect(try await world.a.active([other.accessToken, other.refreshToken]) == [true, true])
                let events = try await world.a.events("refresh_reused")
                #expect(events.map(\.sessionID) == [member.sessionID.text])
                #expect(events.map(\.userID) == ["\(member.id)"])
                #expect(events.map(\.outcome) == ["refused"])
                #expect(events.map(\.address) == ["192.0.2.7"])
            }
        }

        @Test func `in strict mode every second use is reuse`() async throws {
            try await World.run({ $0.policy = .strict }) { world in
                let member = try await world.a.signUp()
                let next = try await world.a.refresh(member.refreshToken)
                #expect(generation(next.refreshToken) == "2")
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                #expect(try await world.a.active([member.accessToken, next.accessToken]) == [false, false])
            }
        }

        @Test func `a static session keeps its token until rotation is asked for`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp(kind: .static)
                for _ in 1...3 {
                    let kept = try await world.a.refresh(member.refreshToken)
                    #expect(kept.refreshToken.revealedText == member.refreshToken.revealedText)
                    #expect(try await world.a.isActive(kept.accessToken))
                    try await world.pass(.seconds(86_400))
                }
                let rotated = try await world.a.refresh(member.refreshToken, wantsRotation: true)
                #expect(generation(rotated.refreshToken) == "2")
                // It rotates from now on, without being asked again.
                let next = try await world.a.refresh(rotated.refreshToken)
                #expect(generation(next.refreshToken) == "3")
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                #expect(try await world.a.liveTokens(of: member.id) == [])
            }
        }

        @Test func `a token whose mac does not hold hurts nobody`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let stranger = try await world.a.signUp("berta@town.example")
                let parts = member.refreshToken.revealedText.split(separator: ".").map { String($0) }
                let foreign = stranger.refreshToken.revealedText.split(separator: ".").map { String($0) }
                let forgeries = [
                    "\(parts[0]).0.\(parts[2])", "\(parts[0]).2.\(parts[2])", "\(parts[0]).1.\(foreign[2])",
                    "\(parts[0]).1.\(parts[2].swappingFirstCase)", "", "kdr_", member.accessToken.revealedText,
                    String(member.refreshToken.revealedText.dropLast()), member.refreshToken.revealedText + "A",
                    "kdr_\(SessionID(random: Array(0..<16)).text).1.\(parts[2])",
                ]
                for forgery in forgeries {
                    await #expect(throws: IdentityError.invalidRefreshToken) {
                        try await world.a.refresh(SecretString(forgery))
                    }
                }
                #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [true, true])
                _ = try await world.a.refresh(member.refreshToken)
            }
        }

        @Test func `a refresh puts the end of a session off, but not for ever`() async throws {
            let lifetime = SessionLifetime(idle: .seconds(1000), absolute: .seconds(2500))
            try await World.run({ $0.client = World.app(lifetime: lifetime) }) { world in
                var tokens = try await world.a.signUp().tokens
                for _ in 1...2 {
                    try await world.pass(.seconds(900))
                    tokens = try await world.a.refresh(tokens.refreshToken)
                }
                let answer = try await world.a.introspect(tokens.accessToken)
                #expect(answer["exp"]?.integerValue == Sample.now.adding(.seconds(2500)).seconds)
                try await world.pass(.seconds(700))
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(tokens.refreshToken) }
                #expect(try await !world.a.isActive(tokens.refreshToken))
            }
        }

        @Test func `every refresh is counted once, as what it was`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let next = try await world.a.refresh(member.refreshToken)
                _ = try await world.a.refresh(member.refreshToken)
                try await world.pass(.seconds(60))
                let recovered = try await world.a.refresh(member.refreshToken)
                let unused = SecretString("kdr_x")
                for token in [unused, next.refreshToken, recovered.refreshToken] {
                    await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(token) }
                }
                let kept = try await world.a.signUp("berta@town.example", kind: .static)
                _ = try await world.a.refresh(kept.refreshToken)
                let counts = await world.a.run { $0.metrics.snapshot.refreshes }
                #expect(counts == [.rotate: 1, .replay: 1, .recover: 1, .keep: 1, .reuse: 1, .refused: 2])
            }
        }

        @Test func `what becomes of refreshes is on record, but not what anybody may have made up`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                _ = try await world.a.refresh(member.refreshToken)
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(SecretString("kdr_x")) }
                try await world.a.run { try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller) }
                // However often it comes within a minute.
                for _ in 0..<3 {
                    await #expect(throws: IdentityError.invalidRefreshToken) {
                        try await world.a.refresh(member.refreshToken)
                    }
                }
                let refused = try await world.a.events("refresh_refused")
                #expect(refused.map(\.sessionID) == [member.sessionID.text])
                #expect(refused.map(\.actor) == ["anonymous"])
                let refreshed = try await world.a.events("token_refreshed")
                #expect(refreshed.map(\.reason) == ["rotate"])
                #expect(refreshed.map(\.actor) == ["user:\(member.id)"])
            }
        }

        @Test func `a client that is gone takes its sessions with it`() async throws {
            let lifetime = Duration.zero
            try await World.run({ $0.clientLifetime = lifetime }) { world in
                let client = Client(
                    id: World.clientID("kiosk"), name: "Kiosk", authentication: .publicClient, permissions: [.signIn],
                    audiences: [World.audience], accessTokenFormat: .opaque)
                _ = try await world.a.signUp()
                let authentication = try await world.a.authenticate()
                let tokens = try await world.a.run { parts in
                    try await parts.clientStore.insert(client, at: Sample.now)
                    return try await parts.sessions.begin(authentication, for: client, caller: Copy.caller)
                }
                func refresh(_ token: SecretString) async throws -> SessionTokens {
                    try await world.a.run {
                        try await $0.sessions.refresh(token, RefreshOptions(for: client.id), caller: Copy.caller)
                    }
                }
                let next = try await refresh(tokens.refreshToken)
                // A refresh token is its client's.
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(next.refreshToken) }
                #expect(try await world.a.run { try await $0.clientStore.delete(client.id) })
                await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh(next.refreshToken) }
                #expect(try await !world.a.isActive(next.refreshToken))
            }
        }
    }
}

extension String {
    /// With the first letter in the other case.
    var swappingFirstCase: String {
        guard let index = firstIndex(where: \.isLetter) else { return self }
        let letter = self[index].isUppercase ? self[index].lowercased() : self[index].uppercased()
        return replacingCharacters(at: index, with: letter)
    }

    private func replacingCharacters(at index: Index, with text: String) -> String {
        self[..<index] + text + self[self.index(after: index)...]
    }
}
