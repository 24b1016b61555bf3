package import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Tour {
    /// Makes a user at the app's API, for clients whose protocol has no sign-up: behind all APIs are the same users.
    package static func signUp(at server: URL) async throws -> String {
        let email = newEmail()
        let url = server.appendingPathComponent("auth/register")
        _ = try await URLSession.shared.body(of: URLRequest("POST", url, json: ["email": email, "password": password]))
        step("signed up as \(email), at the app's API")
        return email
    }

    /// A call that must be refused with this status.
    package static func refused(_ status: Int, _ text: String, _ call: () async throws -> Void) async throws {
        do {
            try await call()
        } catch let failure as HTTPFailure {
            return try check("\(text): \(failure.status)", failure.status == status)
        }
        throw Failure("not refused: \(text)")
    }
}
