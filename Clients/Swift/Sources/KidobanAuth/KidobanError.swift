public import Foundation

/// Everything that a call can come to, beside success.
public enum KidobanError: Error, Sendable, Equatable {
    /// Nobody is signed in.
    case notSignedIn
    /// Somebody was, and the server says that the session is over: sign in again.
    case sessionEnded(SessionEnd)
    case invalidCredentials
    /// The provider's token proves nothing, or its nonce is another one.
    case invalidIDToken
    case invalidInput([InputIssue])
    /// A code out of a mail that is none, was used, or is too old.
    case invalidCode
    case emailTaken
    /// The address belongs to an account with another way in: sign in by that, then link.
    case emailNeedsLinking
    /// The identity belongs to another account.
    case identityTaken
    case lastSignInMethod
    case emailNotVerified
    /// The session is too old for this: sign in once more and repeat.
    case recentSignInRequired
    case notFound
    case tooManyRequests(retryAfter: TimeInterval?)
    /// The server, or a store of it, is away. It says nothing about the user.
    case unavailable(retryAfter: TimeInterval?)
    /// No answer came. What was asked for may have happened all the same.
    case network(URLError.Code)
    /// Tokens could not be read or written. It says nothing about the user either: a locked Keychain opens again.
    case storage(String)
    /// A token does not go to an address without TLS, this machine aside.
    case insecureURL
    /// An answer that Kidoban does not give: somebody in between, or another version.
    case unexpected(status: Int, message: String?)
    case cancelled

    /// Whether the same call may succeed later, without anybody doing anything about it.
    public var isTemporary: Bool {
        switch self {
        case .tooManyRequests, .unavailable, .network, .storage: true
        default: false
        }
    }
}

/// Why a session is over.
public enum SessionEnd: Sendable, Equatable, Codable {
    /// It was ended elsewhere, it expired, or its refresh token was used twice.
    case refused
    case userDeleted
}

/// One field that the server refused.
public struct InputIssue: Sendable, Equatable, Decodable {
    /// `invalid_type`, `invalid_string`, `too_small`, `too_big`, `invalid_enum_value` or `custom`.
    public let code: String
    public let message: String
    /// Where the field is, for example `["password"]`.
    public let path: [String]

    public init(code: String, message: String, path: [String]) {
        self.code = code
        self.message = message
        self.path = path
    }
}
