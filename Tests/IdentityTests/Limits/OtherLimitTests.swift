import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    /// Signing up, refreshing, codes and mails.
    @Suite struct OtherLimitTests {
        private static let hour = Duration.seconds(3600)

        @Test func `sign-ups count by address and by e-mail address, also those that fail`() async throws {
            let limits = LimitSettings.only(
                (.signUpAddress, Budget(4, per: Self.hour)), (.signUpAccount, Budget(2, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                func signUp(_ email: String, from address: String) async throws {
                    try await world.a.run { parts in
                        _ = try await parts.accounts.signUp(
                            Accounts.SignUp(email: email, password: SecretString(Copy.password), displayName: nil),
                            client: parts.app, caller: Copy.caller(address))
                    }
                }
                try await signUp("a@town.example", from: "192.0.2.1")
                await #expect(throws: IdentityError.emailTaken) { try await signUp("A@town.example", from: "192.0.2.1") }
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(1800))) {
                    try await signUp("a@TOWN.example", from: "192.0.2.2")
                }
                try await signUp("b@town.example", from: "192.0.2.1")
                try await signUp("c@town.example", from: "192.0.2.1")
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(900))) {
                    try await signUp("d@town.example", from: "192.0.2.1")
                }
                try await signUp("d@town.example", from: "192.0.2.2")
            }
        }

        @Test func `refreshes count by session, and who only knows its id fills nothing`() async throws {
            let limits = LimitSettings.only(
                (.refreshSession, Budget(2, per: .seconds(60))), (.refreshAddress, Budget(5, per: .seconds(60))))
            try await World.run({ $0.limits = limits }) { world in
                let a = world.a
                let (one, other) = (try await a.signUp(kind: .static), try await a.signUp("b@town.example", kind: .static))
                let forged = SecretString("kdr_\(one.sessionID).1.\(Base64URL.encode([UInt8](repeating: 7, count: 32)))")
                func refresh(_ token: SecretString, from address: String) async throws {
                    _ = try await a.run { parts in
                        try await parts.sessions.refresh(token, RefreshOptions(), caller: Copy.caller(address))
                    }
                }
                for _ in 0..<5 {
                    await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh(forged, from: "203.0.113.1") }
                }
                let limited = IdentityError.tooManyRequests(retryAfter: .seconds(12))
                await #expect(throws: limited) { try await refresh(forged, from: "203.0.113.1") }
                try await refresh(one.refreshToken, from: "192.0.2.1")
                try await refresh(one.refreshToken, from: "192.0.2.1")
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(30))) {
                    try await refresh(one.refreshToken, from: "192.0.2.1")
                }
                try await refresh(other.refreshToken, from: "192.0.2.1")
                // What can be no token costs nothing and counts nowhere.
                for _ in 0..<10 {
                    await #expect(throws: IdentityError.invalidRefreshToken) {
                        try await refresh(SecretString("none"), from: "192.0.2.1")
                    }
                }
                try await refresh(other.refreshToken, from: "192.0.2.1")
            }
        }

        @Test func `another client uses nothing up of a budget, also of a grant that is bound to a key`() async throws {
            let limits = LimitSettings.only((.refreshSession, Budget(1, per: .seconds(60))))
            try await World.run({ $0.limits = limits }) { world in
                _ = try await world.a.signUp()
                for confirmation in [nil, KeyConfirmation(.jwkThumbprint, thumbprint: Array(0..<32))] {
                    let authentication = try await world.a.authenticate()
                    let token = try await world.a.run { parts in
                        try await parts.sessions.begin(
                            authentication, for: parts.app, terms: GrantTerms(confirmation: confirmation), caller: Copy.caller
                        ).refreshToken
                    }
                    func refresh(_ client: String) async throws {
                        let options = RefreshOptions(for: World.clientID(client))
                        _ = try await world.a.run { parts in
                            try await parts.sessions.refresh(token, options, caller: Copy.caller)
                        }
                    }
                    for _ in 0..<3 {
                        await #expect(throws: IdentityError.invalidRefreshToken) { try await refresh("other") }
                    }
                    try await refresh("app")
                    await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(60))) { try await refresh("app") }
                }
            }
        }

        @Test func `a refresh that one of its budgets refuses counts in neither`() async throws {
            let limits = LimitSettings.only(
                (.refreshSession, Budget(1, per: .seconds(60))), (.refreshAddress, Budget(2, per: .seconds(600))))
            try await World.run({ $0.limits = limits }) { world in
                let one = try await world.a.signUp(kind: .static)
                let other = try await world.a.signUp("b@town.example", kind: .static)
                _ = try await world.a.refresh(one.refreshToken)
                for _ in 0..<5 {
                    await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(60))) {
                        try await world.a.refresh(one.refreshToken)
                    }
                }
                _ = try await world.a.refresh(other.refreshToken)
                try await world.pass(.seconds(60))
                for _ in 0..<5 {
                    await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(240))) {
                        try await world.a.refresh(one.refreshToken)
                    }
                }
                try await world.pass(.seconds(240))
                _ = try await world.a.refresh(one.refreshToken)
            }
        }

        @Test func `a refresh that is repeated counts, and the answer is the same for as long`() async throws {
            let limits = LimitSettings.only((.refreshSession, Budget(3, per: .seconds(60))))
            try await World.run({ $0.limits = limits }) { world in
                let member = try await world.a.signUp()
                func refresh(_ token: SecretString) async throws -> SessionTokens {
                    try await world.a.run { parts in
                        try await parts.sessions.refresh(token, RefreshOptions(sameAccessToken: true), caller: Copy.caller)
                    }
                }
                let first = try await refresh(member.refreshToken)
                for _ in 0..<2 {
                    let again = try await refresh(member.refreshToken)
                    #expect(again.accessToken.revealedText == first.accessToken.revealedText)
                    #expect(again.refreshToken.revealedText == first.refreshToken.revealedText)
                }
                for token in [member.refreshToken, first.refreshToken] {
                    await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(20))) { try await refresh(token) }
                }
                try await world.pass(.seconds(20))
                let next = try await refresh(first.refreshToken)
                #expect(next.accessToken.revealedText != first.accessToken.revealedText)
            }
        }

        @Test func `a chain that is refreshed in both ways has one budget`() async throws {
            let limits = LimitSettings.only((.refreshSession, Budget(6, per: .seconds(60))))
            try await World.run({ $0.limits = limits }) { world in
                var token = try await world.a.signUp().refreshToken
                func refresh(_ number: Int) async throws -> SecretString {
                    let (presented, options) = (token, RefreshOptions(sameAccessToken: number % 2 == 1))
                    return try await world.a.run { parts in
                        try await parts.sessions.refresh(presented, options, caller: Copy.caller).refreshToken
                    }
                }
                for number in 0..<6 { token = try await refresh(number) }
                for number in 0..<2 {
                    await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(10))) { try await refresh(number) }
                }
            }
        }

        @Test func `a token of a session that is over counts before it is put on record`() async throws {
            let limits = LimitSettings.only((.refreshAddress, Budget(2, per: .seconds(60))))
            try await World.run({ $0.limits = limits }) { world in
                let member = try await world.a.signUp()
                let gone = try await world.a.signUp("berta@town.example")
                try await world.a.run { try await $0.sessions.signOut(member.refreshToken, caller: Copy.caller) }
                try await world.a.run { try await $0.accounts.delete(gone.id, caller: Copy.caller) }
                await #expect(throws: IdentityError.invalidRefreshToken) { try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.userNotFound) { try await world.a.refresh(gone.refreshToken) }
                for token in [member.refreshToken, gone.refreshToken] {
                    await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(30))) {
                        try await world.a.refresh(token)
                    }
                }
                #expect(try await world.a.events("refresh_refused", count: 2).count == 2)
            }
        }

        @Test func `a device that refreshes on every call is not refused`() async throws {
            try await World.run({ $0.limits = LimitSettings() }) { world in
                let member = try await world.a.signUp(kind: .static)
                for _ in 0..<60 { _ = try await world.a.refresh(member.refreshToken) }
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(1))) {
                    try await world.a.refresh(member.refreshToken)
                }
                try await world.pass(.seconds(1))
                _ = try await world.a.refresh(member.refreshToken)
            }
        }

        @Test func `strangers who use up a recipient's mails are told nothing, and the last link stays good`() async throws {
            let limits = LimitSettings.only(
                (.mailRecipient, Budget(2, per: Self.hour)), (.mailAddress, Budget(5, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                _ = try await world.a.signUp()
                let told = Locked(0)
                func ask(_ email: String, from address: String = "192.0.2.1") async throws {
                    let caller = Caller(
                        address: address, referenceID: nil, device: DeviceDescription(""),
                        report: { standing in if standing.limit == 2 { told.withLock { $0 += 1 } } })
                    try await world.a.run { parts in
                        try await parts.confirmations.requestPasswordReset(
                            email: email, language: .english, link: .withCode { $0 }, caller: caller)
                    }
                }
                func links() async throws -> [SecretString] {
                    try await world.waitingMails().compactMap { $0.mail?.link }
                }
                for email in [Copy.email, "nobody@town.example"] {
                    try await ask(email)
                    try await ask(email.uppercased())
                    for number in 2..<6 { try await ask(email, from: "192.0.2.\(number)") }
                }
                let sent = try await links()
                #expect(sent.count == 2 && told.value == 0)
                // Of two in one millisecond nobody knows which is the last.
                var good = 0
                for link in sent {
                    let user = try? await world.a.run { parts in
                        try await parts.confirmations.user(ofCode: link, for: .resetPassword, caller: Copy.caller)
                    }
                    if user?.email?.normalized == "anna@town.example" { good += 1 }
                }
                #expect(good == 1)
                try await ask("another@town.example")
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(720))) {
                    try await ask("yet.another@town.example")
                }
                #expect(try await world.a.events("limit_reached").contains { $0.reason == "mail:recipient" })
            }
        }

        /// What the owner is known by: a device anywhere, or an address.
        @Test(arguments: [("198.51.100.9", "device-1" as String?, 3), ("192.0.2.200", nil, 2)])
        func `strangers use up no code of an owner who is known, by a sign-in with a password or a mailed code`(
            address: String, device: String?, rest: Int
        ) async throws {
            let limits = LimitSettings.only(
                (.mailRecipient, Budget(2, per: Self.hour)), (.mailKnownDevice, Budget(3, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                _ = try await world.a.signUp()
                func codes(_ count: Int, from caller: Caller) async throws -> Int {
                    let before = try await world.waitingMails().count
                    for _ in 0..<count {
                        _ = try await world.a.run {
                            try await $0.confirmations.requestSignInCode(email: Copy.email, caller: caller)
                        }
                    }
                    return try await world.waitingMails().count - before
                }
                let known = Copy.caller("192.0.2.200", device: "device-1")
                let place = try await world.a.run {
                    try await $0.confirmations.requestSignInCode(email: Copy.email, caller: known)
                }
                let code = try await world.a.code(.signInCode)
                _ = try await world.a.run {
                    try await $0.confirmations.signIn(code: code, in: place, client: $0.app, caller: known)
                }
                for number in 1...3 { _ = try await codes(1, from: Copy.caller("203.0.113.\(number)")) }
                #expect(try await codes(1, from: Copy.caller("203.0.113.9", device: "device-2")) == 0)
                #expect(try await codes(4, from: Copy.caller(address, device: device)) == rest)
            }
        }

        @Test func `codes count by address, for an account too, and keep nobody else out`() async throws {
            let limits = LimitSettings.only(
                (.codeAddress, Budget(3, per: Self.hour)), (.codeAccountAddress, Budget(1, per: Self.hour)))
            try await World.run({ $0.limits = limits }) { world in
                func present(_ number: Int64?, from address: String) async throws {
                    let code = SecretString(Base64URL.encode([UInt8](repeating: 1, count: 32)))
                    try await world.a.run { parts in
                        guard let number else {
                            return try await parts.confirmations.verifyEmail(code: code, caller: Copy.caller(address))
                        }
                        _ = try await parts.confirmations.user(
                            withNumber: number, code: code, for: .resetPassword, caller: Copy.caller(address))
                    }
                }
                await #expect(throws: IdentityError.userNotFound) { try await present(7, from: "192.0.2.1") }
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: Self.hour)) {
                    try await present(7, from: "192.0.2.1")
                }
                await #expect(throws: IdentityError.userNotFound) { try await present(7, from: "192.0.2.2") }
                for _ in 0..<2 {
                    await #expect(throws: IdentityError.invalidCode) { try await present(nil, from: "192.0.2.1") }
                }
                await #expect(throws: IdentityError.tooManyRequests(retryAfter: .seconds(1200))) {
                    try await present(nil, from: "192.0.2.1")
                }
            }
        }
    }
}
