import Foundation
import Tour

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the rest-auth API, as apps talk to django-rest-auth: one key, which lasts until somebody signs out with it.
actor RestAuthClient {
    struct User: Decodable, Sendable {
        let pk: Int
        let username: String
        let email: String
    }

    private struct Answer: Decodable {
        let key: String
    }

    /// Nobody is signed in.
    struct SignedOut: Error {}

    private let base: URL
    private let session: URLSession
    /// An app keeps it in the Keychain.
    private var key: String?

    init(_ server: URL) {
        base = server.appendingPathComponent("rest-auth")
        session = URLSession(configuration: .ephemeral)
    }

    func signUp(email: String, password: String) async throws {
        try await begin("registration/", ["email": email, "password1": password, "password2": password])
    }

    func signIn(email: String, password: String) async throws {
        try await begin("login/", ["email": email, "password": password])
    }

    func user() async throws -> User {
        guard let key else { throw SignedOut() }
        return try await user(by: key)
    }

    /// Ends the session, and says which key is void now.
    func signOut() async throws -> String {
        guard let key else { throw SignedOut() }
        self.key = nil
        _ = try await session.body(of: authorized("POST", "logout/", key))
        return key
    }

    func user(by key: String) async throws -> User {
        try await JSONDecoder().decode(User.self, from: session.body(of: authorized("GET", "user/", key)))
    }

    private func begin(_ path: String, _ fields: KeyValuePairs<String, String>) async throws {
        let answer = try await session.body(of: URLRequest("POST", url(path), form: fields))
        key = try JSONDecoder().decode(Answer.self, from: answer).key
    }

    private func authorized(_ method: String, _ path: String, _ key: String) -> URLRequest {
        var request = URLRequest(method, url(path))
        request.setValue("Token \(key)", forHTTPHeaderField: "Authorization")
        return request
    }

    /// With its slash at the end, as Django has it.
    private func url(_ path: String) -> URL { URL(string: base.absoluteString + "/" + path) ?? base }
}
