import Networking
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct IntrospectionTests {
        @Test(arguments: AccessTokenFormat.allCases)
        func `an access token says whose it is and how long it is good`(format: AccessTokenFormat) async throws {
            try await World.run({ $0.client = World.app(format: format) }) { world in
                let member = try await world.a.signUp()
                var answer = try await world.a.introspect(member.accessToken)
                let id = try #require(answer["jti"]?.stringValue.flatMap { UUID($0) })
                answer = try answer.removing("jti")
                let expected: JSONValue = [
                    "active": true, "aud": .string(World.audience), "client_id": "app", "sub": .string("\(member.id)"),
                    "username": "Anna@Town.example", "email_verified": false, "token_type": "Bearer",
                    "exp": .integer(Sample.now.seconds + 900),
                    "iat": .integer(Sample.now.seconds), "nbf": .integer(Sample.now.seconds), "iss": .string(World.issuer),
                    "scope": "openid email profile account", "sid": .string(member.sessionID.text),
                    "auth_time": .integer(Sample.now.seconds), "amr": ["pwd"],
                ]
                #expect(answer == expected)
                #expect(id.version == 7)
                #expect(member.tokens.accessTokenExpiresAt == Sample.now.adding(.seconds(900)))
                try await world.pass(.seconds(900))
                #expect(try await !world.a.isActive(member.accessToken))
            }
        }

        @Test func `a refresh token has neither type, id nor audience, and lives as long as its session`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp(kind: .static)
                let answer = try await world.a.introspect(member.refreshToken, as: world.a.parts.app.id)
                let expected: JSONValue = [
                    "active": true, "client_id": "app", "sub": .string("\(member.id)"),
                    "username": "Anna@Town.example", "email_verified": false, "exp": .integer(Sample.now.seconds + 30 * 86_400),
                    "iat": .integer(Sample.now.seconds), "nbf": .integer(Sample.now.seconds), "iss": .string(World.issuer),
                    "sid": .string(member.sessionID.text),
                ]
                #expect(answer == expected)
                try await world.pass(.seconds(30 * 86_400))
                #expect(try await !world.a.isActive(member.refreshToken))
            }
        }

        @Test func `looking at a refresh token uses nothing up`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let before = try await world.a.keyspace().items.map(\.text).sorted()
                for _ in 1...3 { #expect(try await world.a.isActive(member.refreshToken)) }
                #expect(try await world.a.keyspace().items.map(\.text).sorted() == before)
                let next = try await world.a.refresh(member.refreshToken)
                // Within the grace the parent can still be used.
                #expect(try await world.a.active([member.refreshToken, next.refreshToken]) == [true, true])
                try await world.pass(.seconds(86_400))
                #expect(try await world.a.active([member.refreshToken, next.refreshToken]) == [false, true])
            }
        }

        @Test(arguments: [AccessTokenFormat.opaque, .jwtES256])
        func `any other spelling of a token is inactive`(format: AccessTokenFormat) async throws {
            try await World.run({ $0.client = World.app(format: format) }) { world in
                let member = try await world.a.signUp()
                for token in [member.accessToken.revealedText, member.refreshToken.revealedText] {
                    var spellings = [
                        "", " " + token, token + " ", token + "\n", token + "\0", token + "=", token + "A", token + token,
                    ]
                    spellings += ["Bearer " + token, token.uppercased(), token.lowercased(), token + ".", "\u{FEFF}" + token]
                    spellings += (1..<token.count).map { String(token.prefix($0)) }
                    spellings += (1..<token.count).map { String(token.suffix($0)) }
                    for index in token.indices {
                        let flipped = token[index].isUppercase ? token[index].lowercased() : token[index].uppercased()
                        if flipped != String(token[index]) {
                            spellings.append(token[..<index] + flipped + token[token.index(after: index)...])
                        }
                    }
                    let answers = try await world.a.active(spellings.map { SecretString($0) })
                    #expect(!answers.contains(true))
                    #expect(try await world.a.isActive(SecretString(token)))
                }
            }
        }

        @Test func `what looks like a command to a store is only a token that nobody has`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let hash = AccessTokenHash(of: member.accessToken.revealedText)
                let texts = [
                    "\r\nFLUSHALL\r\n", "*1\r\n$8\r\nFLUSHALL\r\n", "*", "{at}", "\0", hash.key, hash.text, "' OR 1=1--",
                    "kdr_\(member.sessionID.text).*.x", SessionRecord.key(member.sessionID),
                    String(repeating: "a", count: 1 << 20), "kdr_" + String(repeating: ".", count: 1 << 20),
                ]
                #expect(try await world.a.active(texts.map { SecretString($0) }) == texts.map { _ in false })
                #expect(try await world.a.isActive(member.accessToken))
            }
        }

        @Test func `a client sees the tokens of its own audiences only`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let audiences: [([String], Bool)] = [
                    ([World.audience], true), (["https://other.example", World.audience], true), ([Client.anyAudience], true),
                    ([], false), (["https://other.example"], false), ([""], false), ([String(World.audience.dropLast())], false),
                    ([World.audience + "/"], false), ([World.audience.uppercased()], false), (["https://api"], false),
                    ([World.audience + "\""], false),
                ]
                for (audiences, sees) in audiences {
                    let answer = try await world.a.introspect(member.accessToken, audiences: audiences)
                    #expect((answer["active"] == true) == sees, "\(audiences)")
                    if !sees { #expect(answer == ["active": false]) }
                    #expect(try await world.a.introspect(member.refreshToken, audiences: audiences) == ["active": false])
                }
            }
        }

        @Test(arguments: RefreshRotation.Mode.allCases)
        func `a refresh token is active for the client that it was issued to, and for nobody else`(
            kind: RefreshRotation.Mode
        ) async throws {
            try await World.run { world in
                let member = try await world.a.signUp(kind: kind)
                let app = world.a.parts.app.id
                for hint in [nil, .refreshToken, .accessToken] as [TokenTypeHint?] {
                    let own = try await world.a.introspect(member.refreshToken, hint: hint, as: app)
                    #expect((own["active"] == true) == (hint != .accessToken))
                    if hint == .accessToken { #expect(own == ["active": false]) }
                    #expect(try await world.a.introspect([member.refreshToken], hint: hint, as: app) == [own])
                    // Another that signs users in, and one that does not.
                    for id in [World.clientID("other-app"), nil] {
                        #expect(try await world.a.introspect(member.refreshToken, hint: hint, as: id) == ["active": false])
                    }
                    #expect(try await world.a.introspect(member.accessToken, hint: hint)["active"] == true)
                }
            }
        }

        @Test func `nothing else that opens something here is active`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let session = member.tokens.session
                let sessions = world.a.parts.sessions
                let others = [
                    sessions.cookie(of: session, use: .session), sessions.cookie(of: session, use: .restAuth),
                    sessions.formToken(of: session), sessions.lastingToken(of: session),
                ]
                for other in others {
                    for id in [world.a.parts.app.id, nil] {
                        #expect(try await world.a.introspect(other, as: id) == ["active": false])
                    }
                }
            }
        }

        @Test func `who may not introspect learns nothing`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                for token in [member.accessToken, member.refreshToken, SecretString("x")] {
                    await #expect(throws: IdentityError.clientNotPermitted) {
                        try await world.a.run { parts in
                            _ = try await parts.introspection.answer(
                                token, for: ClientRegistry.Entry(parts.app, readAt: Instant.now()))
                        }
                    }
                }
            }
        }

        @Test func `every answer is counted`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                _ = try await world.a.active([member.accessToken, member.refreshToken, SecretString("x")])
                _ = try await world.a.introspect(member.accessToken, audiences: [])
                let counts = await world.a.run { $0.metrics.snapshot.introspections }
                #expect(counts == [.active: 2, .inactive: 2, .unavailable: 0])
            }
        }
    }
}

extension JSONValue {
    /// An object without one of its members, which must be there.
    fileprivate func removing(_ key: String) throws -> JSONValue {
        var object = try #require(objectValue)
        try #require(object[key] != nil)
        object[key] = nil
        return .object(object)
    }
}
