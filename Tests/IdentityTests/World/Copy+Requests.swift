import Networking
import TestSupport
import Testing
import Text

@testable import Identity

/// A user who has just signed up or in, with what he got.
struct Member: Sendable {
    let user: User
    let tokens: SessionTokens

    var id: UserID { user.id }
    var accessToken: SecretString { tokens.accessToken }
    var refreshToken: SecretString { tokens.refreshToken }
    var sessionID: SessionID { tokens.session.id }
}

/// What clients ask of a copy, in short.
extension Copy {
    static let caller = Caller(address: "192.0.2.7", referenceID: "request-1", device: DeviceDescription("Pixel 9"))
    static let email = "Anna@Town.example"
    static let password = "correct horse battery staple"

    func signUp(
        _ email: String = email, password: String = password, name: String? = nil, kind: SessionKind = .rotating
    ) async throws -> Member {
        let request = Accounts.SignUp(email: email, password: SecretString(password), displayName: name)
        let (user, tokens) = try await rooms.accounts.signUp(request, client: rooms.app, kind: kind, caller: Self.caller)
        return Member(user: user, tokens: tokens)
    }

    func signIn(
        _ email: String = email, password: String = password, kind: SessionKind = .rotating
    ) async throws -> Member {
        let (user, tokens) = try await rooms.accounts.signIn(
            email: email, password: SecretString(password), client: rooms.app, kind: kind, caller: Self.caller)
        return Member(user: user, tokens: tokens)
    }

    func refresh(_ token: SecretString, wantsRotation: Bool = false) async throws -> SessionTokens {
        try await rooms.sessions.refresh(token, wantsRotation: wantsRotation, caller: Self.caller)
    }

    /// What a backend is told that may see the tokens of every audience.
    func introspect(_ token: SecretString, audiences: [String] = [Client.anyAudience]) async throws -> JSONValue {
        let backend = Client(
            id: World.clientID("backend"), name: "Backend", authentication: .publicClient, permissions: [.introspect],
            audiences: audiences)
        return try JSON.parse(
            try await rooms.introspection.answer(token, for: ClientRegistry.Entry(backend, readAt: Instant.now())))
    }

    func isActive(_ token: SecretString) async throws -> Bool {
        let answer = try await introspect(token)
        if answer == ["active": false] { return false }
        try #require(answer["active"] == true)
        return true
    }

    /// Which of the tokens are good.
    func active(_ tokens: [SecretString]) async throws -> [Bool] {
        var answers: [Bool] = []
        for token in tokens { answers.append(try await isActive(token)) }
        return answers
    }

    /// The code of a mail for a new password; nil when none is written.
    func resetCode(_ email: String = email) async throws -> SecretString? {
        let code = Locked<(profile: Profile, text: SecretString)?>(nil)
        try await rooms.confirmations.requestPasswordReset(
            email: email, language: .english,
            link: { profile, text in
                code.withLock { $0 = (profile, text) }
                return text
            }, caller: Self.caller)
        guard let (profile, text) = code.value, profile.number != 0 else { return nil }
        return text
    }

    func resetPassword(_ code: SecretString, to password: String) async throws {
        try await rooms.confirmations.resetPassword(code: code, to: SecretString(password), caller: Self.caller)
    }

    /// The code of a mail that proves an address.
    func verificationCode(of user: User) async throws -> SecretString {
        let code = Locked<SecretString?>(nil)
        try await rooms.confirmations.requestVerification(
            of: user, language: .english,
            link: { _, text in
                code.withLock { $0 = text }
                return text
            }, caller: Self.caller)
        return try #require(code.value)
    }

    func verify(_ code: SecretString) async throws {
        try await rooms.confirmations.verifyEmail(code: code, caller: Self.caller)
    }
}
