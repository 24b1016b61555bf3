public import Foundation
public import KidobanAuth

/// FirebaseAuth's numbers, of what can happen here.
public enum AuthErrorCode: Int, Sendable {
    case invalidCredential = 17004
    case operationNotAllowed = 17006
    case emailAlreadyInUse = 17007
    case invalidEmail = 17008
    case tooManyRequests = 17010
    case userNotFound = 17011
    case accountExistsWithDifferentCredential = 17012
    case requiresRecentLogin = 17014
    case noSuchProvider = 17016
    case networkError = 17020
    case userTokenExpired = 17021
    case userMismatch = 17024
    case credentialAlreadyInUse = 17025
    case weakPassword = 17026
    case invalidActionCode = 17030
    case missingEmail = 17034
    case nullUser = 17067
    case unverifiedEmail = 17086
    case keychainError = 17995
    case internalError = 17999
}

/// What every call throws. `(error as NSError).code` is FirebaseAuth's number.
public struct AuthError: Error, CustomNSError, Sendable {
    public static let errorDomain = "FIRAuthErrorDomain"

    public let code: AuthErrorCode
    /// What Kidoban said.
    public let cause: KidobanError?

    public var errorCode: Int { code.rawValue }

    init(_ code: AuthErrorCode, _ cause: KidobanError? = nil) {
        self.code = code
        self.cause = cause
    }

    init(_ cause: KidobanError) {
        self.init(Self.code(of: cause), cause)
    }

    private static func code(of error: KidobanError) -> AuthErrorCode {
        switch error {
        case .notSignedIn: .nullUser
        case .sessionEnded(.refused): .userTokenExpired
        case .sessionEnded(.userDeleted): .userNotFound
        // Kidoban does not tell an unknown address from a wrong password or a disabled user.
        case .invalidCredentials, .invalidIDToken: .invalidCredential
        case .invalidInput(let issues): code(of: issues)
        case .invalidCode: .invalidActionCode
        case .emailTaken: .emailAlreadyInUse
        case .emailNeedsLinking: .accountExistsWithDifferentCredential
        case .identityTaken: .credentialAlreadyInUse
        case .lastSignInMethod: .operationNotAllowed
        case .emailNotVerified: .unverifiedEmail
        case .recentSignInRequired: .requiresRecentLogin
        case .notFound: .noSuchProvider
        case .tooManyRequests: .tooManyRequests
        // Both go by, and neither says anything about the user.
        case .network, .unavailable: .networkError
        case .storage: .keychainError
        case .insecureURL, .unexpected, .cancelled: .internalError
        }
    }

    private static func code(of issues: [InputIssue]) -> AuthErrorCode {
        let fields = Set(issues.compactMap(\.path.first))
        if fields.contains("email") { return .invalidEmail }
        return fields.contains("password") ? .weakPassword : .internalError
    }
}

/// Runs a call; its error becomes FirebaseAuth's.
@MainActor
func mapping<Value: Sendable>(_ call: @MainActor () async throws(KidobanError) -> Value) async throws -> Value {
    do throws(KidobanError) {
        return try await call()
    } catch {
        throw AuthError(error)
    }
}
