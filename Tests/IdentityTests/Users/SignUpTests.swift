import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct SignUpTests {
        @Test func `a new user is kept as he came, and is signed in`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp("Anna.B@Bücher.example", name: "  Anna  ")
                let user = try await world.a.run { try await $0.accounts.user(member.id) }
                #expect(user.email?.typed == "Anna.B@Bücher.example")
                #expect(user.email?.normalized == "anna.b@xn--bcher-kva.example")
                #expect(user.displayName?.text == "Anna")
                #expect(user.claims.isEmpty && user.roles.isEmpty && !user.isAnonymous && user.tokensValidAfter == nil)
                #expect(!user.emailVerified && !user.isDisabled)
                #expect(user.createdAt == Sample.now && user.updatedAt == Sample.now && user.lastSignInAt == Sample.now)
                #expect(member.user.email == user.email)
                #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [true, true])
                let events = try await world.a.events("user_signed_up")
                #expect(events.map(\.userID) == ["\(member.id)"])
                #expect(events.map(\.actor) == ["user:\(member.id)"])
                #expect(await world.a.run { $0.metrics.snapshot.signUps } == 1)
            }
        }

        @Test func `of a hundred registrations of one address at once, in any spelling, one is made`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let copies = world.copies
                let spellings = [
                    "anna@bücher.example", "ANNA@BÜCHER.example", "Anna@xn--bcher-kva.EXAMPLE", "anna@bu\u{308}cher.example",
                ]
                let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            do {
                                _ = try await copies[number % 2].signUp(spellings[number % 4])
                                return true
                            } catch IdentityError.user(.emailTaken) {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(made == 1)
                #expect(try await world.a.userCount() == 1)
                #expect(try await world.a.keyspace().keys("session:").count == 1)
                let refused = try await world.a.events("sign_up_refused", count: 99)
                #expect(refused.count == 99)
                #expect(refused.allSatisfy { $0.userID == nil && $0.actor == "anonymous" })
            }
        }

        @Test func `who signs up with a session is stored with it, or neither is there`() async throws {
            try await World.run { world in
                let member = try await world.a.signUpWithSession()
                let user = try await world.a.run { try await $0.accounts.user(member.id) }
                #expect(user.createdAt == Sample.now && user.lastSignInAt == Sample.now)
                #expect(try await world.a.active([member.accessToken, member.refreshToken]) == [true, true])
                #expect(try await world.a.events("user_signed_up").map(\.userID) == ["\(member.id)"])
                await #expect(throws: IdentityError.emailTaken) { try await world.a.signUpWithSession() }
                #expect(try await world.a.events("sign_up_refused").count == 1)
                // Nothing of a session of nobody's.
                #expect(try await world.a.keyspace().keys("at:").count == 1)
                #expect(try await world.a.keyspace().keys("user:").count == 1)
                #expect(try await world.a.keyspace().keys("feed:").isEmpty)
                try await world.a.permitKeys("at:*", "user:*")
                await #expect(throws: IdentityError.internalFault) { try await world.a.signUpWithSession("b@town.example") }
                try await world.a.permitKeys("*")
                #expect(try await world.a.userCount() == 1)
                // It can be tried again.
                _ = try await world.a.signUpWithSession("b@town.example")
                #expect(await world.a.run { $0.metrics.snapshot.signUps } == 2)
            }
        }

        @Test func `all that is wrong is said at once, and nothing is made`() async throws {
            try await World.run { world in
                await #expect(
                    throws: IdentityError.invalidInput([
                        InputProblem(.email, .malformed), InputProblem(.password, .tooShort(minimum: 8)),
                        InputProblem(.displayName, .forbiddenCharacter),
                    ])
                ) { try await world.a.signUp("anna", password: "short", name: "a\u{0}b") }
                await #expect(throws: IdentityError.invalidInput([InputProblem(.password, .passwordEqualsEmail)])) {
                    try await world.a.signUp(password: "ANNA@town.EXAMPLE")
                }
                await #expect(throws: IdentityError.invalidInput([InputProblem(.password, .commonPassword)])) {
                    try await world.a.signUp(password: "Password1")
                }
                let count = try await world.a.userCount()
                #expect(count == 0)
            }
        }

        @Test func `an app that may not sign users in makes none`() async throws {
            try await World.run({ $0.client = World.app(permissions: [.introspect]) }) { world in
                await #expect(throws: IdentityError.clientNotPermitted) { try await world.a.signUp() }
                await #expect(throws: IdentityError.clientNotPermitted) { try await world.a.signIn() }
                let count = try await world.a.userCount()
                #expect(count == 0)
            }
        }

        @Test func `nobody is made while no session could begin`() async throws {
            try await World.run { world in
                world.redis.stop()
                await #expect(throws: IdentityError.unavailable(retryAfter: .seconds(1))) { try await world.a.signUp() }
                try world.redis.start()
                try await eventually { await world.a.parts.redis.isReady }
                #expect(try await world.a.userCount() == 0)
                _ = try await world.a.signUp()
            }
        }
    }
}
