import Foundation
import Tour

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the app's API. An actor, so that however many calls find their access token expired, one of them refreshes it and all
/// wait for that one.
actor AuthClient {
    struct User: Decodable, Sendable {
        let id: String
        let email: String
        let name: String?
    }

    struct Device: Decodable, Sendable {
        let id: String
        let current: Bool
    }

    private struct Answer: Decodable {
        let user: User
    }

    private struct Tokens: Decodable, Sendable {
        var accessToken: String
        /// Absent from the answer to a refresh of a session that keeps its refresh token.
        var refreshToken: String?
    }

    /// Nobody is signed in, or not any more.
    struct SignedOut: Error {}

    private let baseURL: URL
    private let session: URLSession
    /// An app keeps these in the Keychain.
    private var tokens: Tokens?
    private var refresh: Task<Tokens, any Error>?
    private(set) var refreshCount = 0

    init(_ baseURL: URL, session: URLSession = .shared) {
        self.baseURL = baseURL
        self.session = session
    }

    func signUp(email: String, password: String, name: String) async throws -> User {
        try await begin("auth/register", ["email": email, "password": password, "name": name])
    }

    func signIn(email: String, password: String) async throws -> User {
        try await begin("auth/login", ["email": email, "password": password])
    }

    func me() async throws -> User {
        try await JSONDecoder().decode(User.self, from: call("GET", "auth/me"))
    }

    func devices() async throws -> [Device] {
        try await JSONDecoder().decode([String: [Device]].self, from: call("GET", "auth/sessions"))["sessions"] ?? []
    }

    /// Ends the session on the server, and forgets it here whatever comes of that.
    func signOut() async throws {
        guard let refreshToken = tokens?.refreshToken else { return }
        tokens = nil
        let request = try URLRequest("POST", url("auth/logout"), json: ["refreshToken": refreshToken])
        _ = try await session.body(of: request)
    }

    /// For the tour: the access token is as good as one that has expired.
    func spoilAccessToken() {
        tokens?.accessToken = "expired"
    }

    private func begin(_ path: String, _ body: [String: String]) async throws -> User {
        let answer = try await session.body(of: URLRequest("POST", url(path), json: body))
        tokens = try JSONDecoder().decode(Tokens.self, from: answer)
        return try JSONDecoder().decode(Answer.self, from: answer).user
    }

    /// Calls with the access token; when it is refused, once more with a fresh one.
    private func call(_ method: String, _ path: String) async throws -> Data {
        guard let token = tokens?.accessToken else { throw SignedOut() }
        do {
            return try await session.body(of: URLRequest(method, url(path), bearer: token))
        } catch let failure as HTTPFailure where failure.status == 401 {
            let fresh = try await freshToken(insteadOf: token)
            return try await session.body(of: URLRequest(method, url(path), bearer: fresh))
        }
    }

    private func freshToken(insteadOf refused: String) async throws -> String {
        // Somebody else has refreshed since the call was sent.
        if let current = tokens?.accessToken, current != refused { return current }
        let task = refresh ?? Task { try await self.refreshTokens() }
        refresh = task
        return try await task.value.accessToken
    }

    private func refreshTokens() async throws -> Tokens {
        defer { refresh = nil }
        guard let refreshToken = tokens?.refreshToken else { throw SignedOut() }
        refreshCount += 1
        let request = try URLRequest("POST", url("auth/refresh"), json: ["refreshToken": refreshToken])
        do {
            var fresh = try JSONDecoder().decode(Tokens.self, from: await session.body(of: request))
            fresh.refreshToken = fresh.refreshToken ?? refreshToken
            tokens = fresh
            return fresh
        } catch let failure as HTTPFailure where failure.status == 401 {
            // Only this means that the session is over. After 503 or a lost connection it is not.
            tokens = nil
            throw SignedOut()
        }
    }

    private func url(_ path: String) -> URL { baseURL.appendingPathComponent(path) }
}
