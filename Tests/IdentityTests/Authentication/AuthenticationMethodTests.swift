import Testing

@testable import Identity

@Suite("RFC 8176 authentication methods") struct AuthenticationMethodTests {
    @Test(arguments: ["pwd", "otp", "x-later", "urn:example:face", "Pwd", "password"])
    func `a method is kept as it is, and never read as another`(text: String) throws {
        let method = try #require(AuthenticationMethod(text))
        #expect(method.text == text)
        #expect((method == .password) == (text == "pwd"))
        #expect(Set<AuthenticationMethod>(stored: Set([method]).stored) == [method])
    }

    @Test(arguments: ["", " ", "a b", "a\"", "a\\", "a,b", "é", "\n", String(repeating: "a", count: 33)])
    func `what is none is none, and no password`(text: String) {
        #expect(AuthenticationMethod(text) == nil)
    }

    @Test func `nothing that was stored is nothing that was proved`() {
        #expect(Set<AuthenticationMethod>(stored: "").isEmpty)
        #expect(Set<AuthenticationMethod>().stored == "")
        #expect(Set<AuthenticationMethod>(stored: "swk pwd") == [.password, .softwareKey])
    }

    @Test func `credentials that are not enough are wrong to who can ask for no more`() {
        let pending = PendingAuthentication(userID: Sample.userID, methods: [.password], provider: nil, time: Sample.now)
        #expect(throws: IdentityError.invalidCredentials) {
            try AuthenticationResult.needs(.oneTimePassword, pending: pending).completed()
        }
    }
}
