import Foundation
import Tour

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the token resource: one URL, three verbs. It looks at the clock before it uses an access token; an actor, so that
/// however many calls find it expired, one of them gets a new pair and all wait for that one.
actor AuthManager {
    private struct Token: Decodable, Sendable {
        let accessToken: String
        let refreshToken: String
        /// Seconds since 1970.
        var expiresAt: Int
    }

    /// Nobody is signed in, or not any more.
    struct SignedOut: Error {}

    private let url: URL
    private let session: URLSession
    /// An app keeps it in the Keychain.
    private var token: Token?
    private var refresh: Task<Token, any Error>?
    private(set) var refreshCount = 0

    init(_ server: URL, session: URLSession = .shared) {
        url = server.appendingPathComponent("auth/token")
        self.session = session
    }

    func signIn(email: String, password: String) async throws {
        token = try await obtain(URLRequest("POST", url, json: ["email_address": email, "password": password]))
    }

    /// Good for a call.
    func accessToken() async throws -> String {
        guard let token else { throw SignedOut() }
        if Double(token.expiresAt) > Date().timeIntervalSince1970 { return token.accessToken }
        let task = refresh ?? Task { try await self.refreshToken() }
        refresh = task
        return try await task.value.accessToken
    }

    /// Ends the session on the server.
    func signOut() async throws {
        guard let token else { return }
        self.token = nil
        _ = try await session.body(of: URLRequest("DELETE", url, bearer: token.accessToken))
    }

    /// For the tour: time flies.
    func expireAccessToken() {
        token?.expiresAt = 0
    }

    private func refreshToken() async throws -> Token {
        defer { refresh = nil }
        guard let old = token else { throw SignedOut() }
        refreshCount += 1
        do {
            let fresh = try await obtain(URLRequest("PUT", url, bearer: old.refreshToken))
            token = fresh
            return fresh
        } catch let failure as HTTPFailure where failure.status == 401 {
            // Only this means that the session is over. After 503 or a lost connection it is not.
            token = nil
            throw SignedOut()
        }
    }

    private func obtain(_ request: URLRequest) async throws -> Token {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try await decoder.decode(Token.self, from: session.body(of: request))
    }
}
