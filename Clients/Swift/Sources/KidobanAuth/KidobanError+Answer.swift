import Foundation
import KidobanTransport

extension KidobanError {
    private struct Body: Decodable {
        let error: String
        let details: [InputIssue]?
    }

    /// What an answer that is no success means. The exact texts count: a 401 of a proxy or of a captive portal ends nothing.
    init(_ answer: HTTPAnswer) {
        let body = try? JSONDecoder().decode(Body.self, from: answer.body)
        switch (answer.status, body?.error) {
        case (401, "Invalid refresh token"): self = .sessionEnded(.refused)
        case (401, "User not found"), (404, "User not found"): self = .sessionEnded(.userDeleted)
        case (401, "Invalid email or password"): self = .invalidCredentials
        case (401, "Invalid OAuth token"): self = .invalidIDToken
        case (400, "Invalid input"): self = .invalidInput(body?.details ?? [])
        case (400, "Invalid code"): self = .invalidCode
        case (400, "Email already exists"): self = .emailTaken
        case (400, "Email already exists with different provider"): self = .emailNeedsLinking
        case (409, "Already linked to another account"): self = .identityTaken
        case (409, "Cannot remove the last sign-in method"): self = .lastSignInMethod
        case (403, "Email not verified"): self = .emailNotVerified
        case (403, "Recent sign-in required"): self = .recentSignInRequired
        case (404, "Session not found"), (404, "Identity not found"): self = .notFound
        case (429, _): self = .tooManyRequests(retryAfter: answer.retryAfter)
        case (408, _), (500..., _): self = .unavailable(retryAfter: answer.retryAfter)
        case (let status, let message): self = .unexpected(status: status, message: message)
        }
    }

    init(sending error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as URLError: self = error.code == .cancelled ? .cancelled : .network(error.code)
        case let error as KidobanError: self = error
        default: self = .network(.unknown)
        }
    }
}
