import Foundation
import Tour

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the cookie's API. URLSession keeps the cookie and sends it; there is no token to refresh, and nothing to write for it.
struct CookieClient: Sendable {
    struct Answer: Decodable, Sendable {
        let status: String
    }

    private let server: URL
    private let session: URLSession

    init(_ server: URL) {
        self.server = server
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = true
        session = URLSession(configuration: configuration)
    }

    func signIn(email: String, password: String, remember: Bool) async throws -> Answer {
        let fields: KeyValuePairs = ["email": email, "password": password, "remember": remember ? "1" : "0"]
        return try await answer(to: URLRequest("POST", url("login"), form: fields))
    }

    /// Whether the session still stands: an app asks when it comes to the foreground. That keeps it alive, too.
    /// - Throws: what is no answer to this question, such as 503.
    func isSignedIn() async throws -> Bool {
        do {
            return try await answer(to: URLRequest("GET", url("touch"))).status == "ok"
        } catch let failure as HTTPFailure where failure.status == 401 {
            return false
        }
    }

    func signOut() async throws -> Answer {
        try await answer(to: URLRequest("POST", url("logout")))
    }

    private func answer(to request: URLRequest) async throws -> Answer {
        try await JSONDecoder().decode(Answer.self, from: session.body(of: request))
    }

    private func url(_ path: String) -> URL { server.appendingPathComponent(path) }
}
