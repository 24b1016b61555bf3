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
        _ email: String = email, password: String = password, name: String? = nil, kind: RefreshRotation.Mode = .rotating
    ) async throws -> Member {
        let request = Accounts.SignUp(email: email, password: SecretString(password), displayName: name)
        return try await begin(parts.accounts.signUp(request, client: parts.app, caller: Self.caller), kind)
    }

    /// A sign-up whose user is stored once the session has begun.
    func signUpWithSession(_ email: String = email) async throws -> Member {
        let request = Accounts.SignUp(email: email, password: SecretString(Self.password), displayName: nil)
        return try await begin(
            parts.accounts.signUpWithSession(request, client: parts.app, caller: Self.caller))
    }

    func signIn(
        _ email: String = email, password: String = password, kind: RefreshRotation.Mode = .rotating
    ) async throws -> Member {
        try await begin(authenticate(email, password), kind)
    }

    func authenticate(_ email: String = email, _ password: String = password) async throws -> Authentication {
        try await parts.accounts.authenticate(
            password: SignInAttempt(.email(email), passwords: [SecretString(password)]), client: parts.app, caller: Self.caller
        ).completed()
    }

    func begin(_ authentication: Authentication, _ kind: RefreshRotation.Mode = .rotating) async throws -> Member {
        let tokens = try await parts.sessions.begin(
            authentication, for: parts.app, refresh: kind, caller: Self.caller)
        return Member(user: authentication.user, tokens: tokens)
    }

    /// Begins a session for a user as somebody has read him, who is as good as signed in.
    func begin(
        _ user: User, for client: Client? = nil, kind: RefreshRotation.Mode = .rotating
    ) async throws -> SessionTokens {
        let authentication = Authentication(of: user, by: [.password], at: system.now(), occasion: .continued)
        return try await parts.sessions.begin(
            authentication, for: client ?? parts.app, refresh: kind, caller: Self.caller)
    }

    func refresh(_ token: SecretString, wantsRotation: Bool = false) async throws -> SessionTokens {
        try await parts.sessions.refresh(
            token, RefreshOptions(rotation: wantsRotation, for: parts.app.id), caller: Self.caller)
    }

    /// What a client is told that may see the tokens of every audience.
    /// - Parameter id: of a backend, unless it is a client that signs users in.
    func introspect(
        _ token: SecretString, audiences: [String] = [Client.anyAudience], hint: TokenTypeHint? = nil, as id: ClientID? = nil
    ) async throws -> JSONValue {
        try JSON.parse(try await parts.introspection.answer(token, hint: hint, for: caller(id, audiences)))
    }

    /// The same for several at once.
    func introspect(_ tokens: [SecretString], hint: TokenTypeHint?, as id: ClientID) async throws -> [JSONValue] {
        let answers = try await parts.introspection.answers(tokens, hint: hint, for: caller(id, [Client.anyAudience]))
        return try answers.map { try JSON.parse($0) }
    }

    private func caller(_ id: ClientID?, _ audiences: [String]) -> ClientRegistry.Entry {
        let client = Client(
            id: id ?? World.clientID("backend"), name: "Caller", authentication: .publicClient,
            permissions: id == nil ? [.introspect] : [.introspect, .signIn], audiences: audiences)
        return ClientRegistry.Entry(client, readAt: Instant.now())
    }

    /// Whether a token is good, as the client hears that it was issued to.
    func isActive(_ token: SecretString) async throws -> Bool {
        let answer = try await introspect(token, as: parts.app.id)
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
        try await parts.confirmations.requestPasswordReset(
            email: email, language: .english,
            link: .withProfile { profile, text in
                code.withLock { $0 = (profile, text) }
                return text
            }, caller: Self.caller)
        guard let (profile, text) = code.value, profile.number != 0 else { return nil }
        return text
    }

    func resetPassword(_ code: SecretString, to password: String) async throws {
        try await parts.confirmations.resetPassword(code: code, to: SecretString(password), caller: Self.caller)
    }

    /// The code of a mail that proves an address.
    func verificationCode(of user: User) async throws -> SecretString {
        let code = Locked<SecretString?>(nil)
        try await parts.confirmations.requestVerification(
            of: user, language: .english,
            link: .withCode { text in
                code.withLock { $0 = text }
                return text
            }, caller: Self.caller)
        return try #require(code.value)
    }

    func verify(_ code: SecretString) async throws {
        try await parts.confirmations.verifyEmail(code: code, caller: Self.caller)
    }
}
