import Testing
import Text

@testable import Identity

extension WithStores {
    /// What changes an account, and what becomes of its sessions.
    @Suite struct AccountsTests {
        private func change(_ id: UserID, on copy: Copy, _ set: @Sendable (inout Accounts.ProfileChange) -> Void) async throws
            -> User
        {
            try await copy.run { parts in
                var change = Accounts.ProfileChange()
                set(&change)
                return try await parts.accounts.change(id, change, caller: Copy.caller)
            }
        }

        private func set(_ id: UserID, on copy: Copy, _ set: @Sendable (inout AppSettings.Change) -> Void) async throws
            -> AppSettings
        {
            try await copy.run { parts in
                var change = AppSettings.Change()
                set(&change)
                return try await AppSettingsStore(pool: parts.users.pool).change(change, of: id)
            }
        }

        @Test func `a profile changes where it is to be changed`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp(name: "Anna")
                world.clock.advance(by: .seconds(5))
                var user = try await change(member.id, on: world.a) {
                    $0.photoURL = "https://photos.example/1.jpg"
                }
                #expect(user.displayName?.text == "Anna")
                #expect(user.photoURL?.text == "https://photos.example/1.jpg")
                #expect(user.createdAt == Sample.now && user.updatedAt == Sample.now.adding(.seconds(5)))
                user = try await change(member.id, on: world.a) {
                    $0.displayName = ""
                }
                #expect(user.displayName == nil)
                #expect(user.photoURL?.text == "https://photos.example/1.jpg")
                user = try await change(member.id, on: world.a) { $0.photoURL = "" }
                #expect(user.photoURL == nil)
                #expect(try await world.a.run { try await $0.accounts.user(member.id) } == user)
                #expect(try await world.a.events("user_updated", count: 3).count == 3)
            }
        }

        @Test func `changes of different fields at once all hold`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                let id = try await a.signUp().id
                for round in 1...20 {
                    async let one = change(id, on: a) { $0.displayName = "Name \(round)" }
                    async let two = change(id, on: b) { $0.photoURL = "https://photos.example/\(round)" }
                    async let three = set(id, on: a) { $0.theme = round % 2 == 0 ? .dark : .light }
                    async let four = set(id, on: b) { $0.autoBackup = round % 2 == 0 }
                    _ = try await (one, two, three, four)
                    let user = try await a.run { try await $0.accounts.user(id) }
                    #expect(user.displayName?.text == "Name \(round)")
                    #expect(user.photoURL?.text == "https://photos.example/\(round)")
                    let settings = try await set(id, on: a) { _ in }
                    #expect(settings == AppSettings(autoBackup: round % 2 == 0, theme: round % 2 == 0 ? .dark : .light))
                }
            }
        }

        @Test func `a change that breaks rules changes nothing`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp(name: "Anna")
                await #expect(
                    throws: IdentityError.invalidInput([
                        InputProblem(.displayName, .tooLong(maximum: 200)), InputProblem(.photoURL, .malformed),
                    ])
                ) {
                    try await change(member.id, on: world.a) {
                        $0.displayName = String(repeating: "a", count: 201)
                        $0.photoURL = "javascript:alert(1)"
                    }
                }
                let user = try await world.a.run { try await $0.accounts.user(member.id) }
                #expect(user.displayName?.text == "Anna" && user.photoURL == nil)
                await #expect(throws: IdentityError.userNotFound) {
                    try await change(Sample.userID, on: world.a) { $0.displayName = "Anna" }
                }
                await #expect(throws: IdentityError.userNotFound) {
                    try await set(Sample.userID, on: world.a) { $0.theme = .light }
                }
            }
        }

        @Test func `a new password ends every session but the one that is kept`() async throws {
            try await World.run { world in
                let members = [try await world.a.signUp(), try await world.a.signIn(), try await world.a.signIn()]
                let (id, kept) = (members[0].id, members[1].sessionID)
                let new = "staple battery horse correct"
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: id, with: SecretString(new), keeping: kept, caller: Copy.caller)
                }
                #expect(try await world.a.active(members.map(\.accessToken)) == [false, true, false])
                #expect(try await world.a.active(members.map(\.refreshToken)) == [false, true, false])
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn() }
                _ = try await world.a.signIn(password: new)
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: id, with: SecretString(Copy.password), keeping: nil, caller: Copy.caller)
                }
                #expect(try await world.a.liveTokens(of: id) == [])
                await #expect(throws: IdentityError.invalidInput([InputProblem(.password, .passwordEqualsEmail)])) {
                    try await world.a.run {
                        try await $0.accounts.replacePassword(
                            of: id, with: SecretString(Copy.email), keeping: nil, caller: Copy.caller)
                    }
                }
                #expect(try await world.a.events("password_changed", count: 2).count == 2)
            }
        }

        @Test func `a disabled user has no session and gets none, until he is enabled`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let other = try await world.a.signIn()
                try await world.a.run { try await $0.accounts.disable(member.id, caller: Copy.caller) }
                let tokens = [member.accessToken, member.refreshToken, other.accessToken, other.refreshToken]
                #expect(try await world.a.active(tokens) == [false, false, false, false])
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.invalidToken) {
                    try await world.a.run { try await $0.tokens.authenticate(member.accessToken, for: .read) }
                }
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn() }
                try await world.a.run { try await $0.accounts.enable(member.id, caller: Copy.caller) }
                _ = try await world.a.signIn()
                #expect(try await world.a.active(tokens) == [false, false, false, false])
                let events = try await world.a.events("user_disabled", "user_enabled", count: 2)
                #expect(events.map(\.actor) == ["administrator", "administrator"])
                #expect(events.map(\.userID) == ["\(member.id)", "\(member.id)"])
            }
        }

        @Test func `a deleted user is gone, and those who hold his tokens learn it`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                let other = try await world.a.signIn()
                try await world.a.run {
                    try await $0.accounts.delete(member.id, from: member.sessionID, caller: Copy.caller)
                }
                #expect(try await world.a.userCount() == 0)
                #expect(try await world.a.liveTokens(of: member.id) == [])
                #expect(try await world.a.keyspace().keys("user:") == [])
                let tokens = [member.accessToken, member.refreshToken, other.accessToken, other.refreshToken]
                #expect(try await world.a.active(tokens) == [false, false, false, false])
                for refreshToken in [member.refreshToken, other.refreshToken] {
                    await #expect(throws: IdentityError.userNotFound) { try await world.a.refresh(refreshToken) }
                }
                await #expect(throws: IdentityError.userNotFound) {
                    try await world.a.run { try await $0.tokens.authenticate(member.accessToken, for: .read) }
                }
                await #expect(throws: IdentityError.invalidCredentials) { try await world.a.signIn() }
                #expect(try await world.a.events("user_deleted").map(\.userID) == ["\(member.id)"])
                // The address is free again, for somebody else.
                #expect(try await world.a.signUp().id != member.id)
                // Weeks later the app of the old account comes back.
                try await world.pass(.seconds(20 * 86_400))
                await #expect(throws: IdentityError.userNotFound) { try await world.a.refresh(member.refreshToken) }
            }
        }

        @Test func `a deletion that failed half-way can be asked for again by the session that asked`() async throws {
            try await World.run { world in
                let other = try await world.a.signUp()
                let member = try await world.a.signIn()
                func delete() async throws {
                    let user = try await world.a.run { try await $0.tokens.authenticate(member.accessToken, for: .read) }
                    try await world.a.run {
                        try await $0.accounts.delete(user.userID, from: user.sessionID, caller: Copy.caller)
                    }
                }
                // The other session can be ended, its access token not deleted.
                try await world.a.permitKeys(
                    "session:*", "user:*", "code:*", AccessTokenHash(of: member.accessToken.revealedText).key)
                await #expect(throws: IdentityError.internalFault) { try await delete() }
                try await world.a.permitKeys("*")
                #expect(try await world.a.userCount() == 1)
                try await delete()
                #expect(try await world.a.userCount() == 0)
                let tokens = [member.accessToken, other.accessToken]
                #expect(try await world.a.active(tokens) == [false, false])
            }
        }

        @Test func `a deletion that cannot end the session that asks for it deletes nobody`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                func delete() async throws {
                    try await world.a.run {
                        try await $0.accounts.delete(member.id, from: member.sessionID, caller: Copy.caller)
                    }
                }
                try await world.a.permitKeys("session:*", "user:*", "code:*", "limit:*")
                await #expect(throws: IdentityError.internalFault) { try await delete() }
                try await world.a.permitKeys("*")
                #expect(try await world.a.userCount() == 1)
                _ = try await world.a.signIn()
                try await delete()
                #expect(try await world.a.userCount() == 0)
                #expect(try await !world.a.isActive(member.accessToken))
                await #expect(throws: IdentityError.userNotFound) { try await world.a.refresh(member.refreshToken) }
            }
        }

        @Test func `nobody keeps or gets a session while he is being disabled`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                let (a, b) = (world.a, world.b)
                for number in 1...50 {
                    let email = "anna\(number)@town.example"
                    let id = try await a.signUp(email).id
                    let members = try await withThrowingTaskGroup(of: Member?.self) { group in
                        for copy in [a, b, a, b] {
                            group.addTask {
                                do {
                                    return try await copy.signIn(email)
                                } catch IdentityError.credentials(.invalid) {
                                    return nil
                                }
                            }
                        }
                        try await b.run { try await $0.accounts.disable(id, caller: Copy.caller) }
                        return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                    }
                    #expect(try await a.liveTokens(of: id) == [])
                    #expect(try await a.run { try await $0.sessions.list(of: id) }.isEmpty)
                    for member in members {
                        #expect(try await b.active([member.accessToken, member.refreshToken]) == [false, false])
                    }
                }
            }
        }

        @Test func `a sign-in that proved a password which is replaced meanwhile is void`() async throws {
            try await World.run { world in
                let member = try await world.a.signUp()
                // What a sign-in knows once it has checked the password.
                let proved = try await world.a.run { try await $0.accounts.user(member.id) }
                try await world.a.run {
                    try await $0.accounts.replacePassword(
                        of: member.id, with: SecretString("staple battery horse"), keeping: nil, caller: Copy.caller)
                }
                await #expect(throws: IdentityError.invalidCredentials) {
                    _ = try await world.a.begin(proved)
                }
                #expect(try await world.a.liveTokens(of: member.id) == [])
                #expect(try await world.a.keyspace().keys("user:") == [])
            }
        }
    }
}
