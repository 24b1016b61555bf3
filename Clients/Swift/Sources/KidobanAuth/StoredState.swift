import Foundation
import KidobanTransport

/// What is kept while the app does not run.
struct StoredState: Codable, Sendable, Equatable {
    struct Session: Codable, Sendable, Equatable {
        var accessToken: String
        var refreshToken: String
        /// By this device's clock. Nil when the token does not tell.
        var accessTokenExpiry: Date?
        var user: User
    }

    var session: Session?
    /// The refresh tokens of sessions that are over here and that the server has not been told of.
    var endings: [String] = []
    /// What the server knows this device by: random, and made once.
    var deviceID = UUID().uuidString.lowercased()

    /// At most so many endings are kept, the latest.
    static let mostEndings = 16

    mutating func end(_ refreshToken: String) {
        endings.append(refreshToken)
        endings.removeFirst(max(0, endings.count - Self.mostEndings))
    }
}

/// How long an access token lives. Its signature is not looked at: this decides when to refresh, and nothing else.
enum AccessTokenLife {
    private struct Times: Decodable {
        let iat: Double
        let exp: Double
    }

    /// Nil for an opaque token.
    static func seconds(of token: String) -> TimeInterval? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let times = try? JSONDecoder().decode(Times.self, from: payload), times.exp > times.iat
        else { return nil }
        return times.exp - times.iat
    }
}
