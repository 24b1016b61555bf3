import Foundation
import KidobanTransport

/// An id token of Apple, Google or another provider that the server knows.
public struct ProviderToken: Sendable, CustomStringConvertible {
    public var provider: String
    public var idToken: String
    /// As the app made it: raw, also where the provider was given its SHA-256.
    public var nonce: String?
    /// Apple tells it at the first time only, so that the app must pass it on then.
    public var name: String?
    /// Apple's, so that the server can end the app's access when the account is deleted.
    public var authorizationCode: String?

    public init(
        provider: String, idToken: String, nonce: String?, name: String? = nil, authorizationCode: String? = nil
    ) {
        self.provider = provider
        self.idToken = idToken
        self.nonce = nonce
        self.name = name
        self.authorizationCode = authorizationCode
    }

    public var description: String { "id token of \(provider)" }

    public static func apple(
        idToken: String, nonce: String?, name: String? = nil, authorizationCode: String? = nil
    ) -> ProviderToken {
        ProviderToken(provider: "apple", idToken: idToken, nonce: nonce, name: name, authorizationCode: authorizationCode)
    }

    public static func google(idToken: String, nonce: String?) -> ProviderToken {
        ProviderToken(provider: "google", idToken: idToken, nonce: nonce)
    }
}

extension KidobanClient {
    /// What a sign-up comes to.
    public enum SignUpResult: Sendable, Equatable {
        case signedIn(User)
        /// The server tells by mail how to go on, and tells nobody whether the address was free.
        case mailSent
    }

    struct Credentials: Encodable, Sendable {
        var email: String?
        var password: String?
        var name: String?
        var rotate: Bool?
        var oauth_provider: String?
        var id_token: String?
        var nonce: String?
        var authorization_code: String?

        mutating func fill(_ token: ProviderToken) {
            oauth_provider = token.provider
            id_token = token.idToken
            nonce = token.nonce
            name = token.name
            authorization_code = token.authorizationCode
        }
    }

    private struct Answer: Decodable {
        let accessToken: String
        let refreshToken: String
        let user: User
    }

    public func signUp(email: String, password: String, name: String? = nil) async throws(KidobanError) -> SignUpResult {
        let answer = try await send(
            "POST", "auth/register", Credentials(email: email, password: password, name: name, rotate: rotation))
        guard answer.status != 202 else { return .mailSent }
        return .signedIn(try await begin(answer))
    }

    /// Who is signed in already is signed in anew, as after `recentSignInRequired`; the session that this replaces ends.
    @discardableResult
    public func signIn(email: String, password: String) async throws(KidobanError) -> User {
        try await begin(
            try await send("POST", "auth/login", Credentials(email: email, password: password, rotate: rotation)))
    }

    /// Signs in whom the token names, and makes the account at the first time.
    @discardableResult
    public func signIn(with token: ProviderToken) async throws(KidobanError) -> User {
        var credentials = Credentials(rotate: rotation)
        credentials.fill(token)
        return try await begin(try await send("POST", "auth/oauth", credentials))
    }

    private func begin(_ answer: HTTPAnswer) async throws(KidobanError) -> User {
        let tokens = try decode(Answer.self, answer)
        let expiry = expiry(of: tokens.accessToken)
        beginEpoch()
        try await change { state in
            if let replaced = state.session { state.end(replaced.refreshToken) }
            state.session = StoredState.Session(
                accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, accessTokenExpiry: expiry, user: tokens.user)
        }
        if try await !state().endings.isEmpty { Task { await finishSignOuts() } }
        return tokens.user
    }

    // MARK: Signing out

    private struct LogoutBody: Encodable, Sendable {
        let refreshToken: String
    }

    /// Signs out here, at once and always. The server is told now or, if it cannot be reached, when it next can: see `finishSignOuts()`.
    /// - Throws: `KidobanError.storage` when the stored tokens could not be removed. The next sign-in or sign-out tries again.
    public func signOut() async throws(KidobanError) {
        beginEpoch()
        let isStored = try await change { state in
            guard let session = state.session else { return }
            state.end(session.refreshToken)
            state.session = nil
        }
        await finishSignOuts()
        guard isStored else { throw .storage("The session is still in the storage.") }
    }

    /// Tells the server of sign-outs that it has not heard of. It is also done after each refresh, each sign-in and at the start, so an app
    /// calls it at most when the network is back.
    /// - Returns: whether the server knows of all.
    @discardableResult
    public func finishSignOuts() async -> Bool {
        let result = await farewells.result { [self] in .success(await sendEndings()) }
        return (try? result?.get()) ?? false
    }

    private func sendEndings() async -> Bool {
        while let token = try? await state().endings.first {
            do throws(KidobanError) {
                _ = try await send("POST", "auth/logout", LogoutBody(refreshToken: token))
            } catch  where error.isTemporary || error == .cancelled {
                return false
            } catch {
                // Whatever it is, it will not become better.
            }
            guard (try? await change({ $0.endings.removeAll { $0 == token } })) != nil else { return false }
        }
        return (try? await state().endings.isEmpty) ?? false
    }
}
