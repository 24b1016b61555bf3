import Foundation

/// Says of an access token whether it is good, and whose it is: by asking Kidoban (`IntrospectionVerifier`) or by its signature
/// (`LocalVerifier`). One for each backend, used by all of its tasks.
public protocol TokenVerifier: Sendable {
    func verify(_ token: String) async throws(TokenError) -> VerifiedToken
}

extension TokenVerifier {
    /// Verifies the token of an `Authorization` field, and that it may do what is asked.
    /// - Parameters:
    ///   - authorization: nil when the request has none.
    ///   - scopes: which the token must have, all of them.
    public func verify(authorization: String?, scopes: Set<String> = []) async throws(TokenError) -> VerifiedToken {
        let token = try await verify(try BearerToken.read(authorization))
        guard scopes.isSubset(of: token.scopes) else { throw .insufficientScope(scopes) }
        return token
    }
}

/// The token of an `Authorization` field (RFC 6750 §2.1).
enum BearerToken {
    /// None of ours is longer; a JWT with every claim has a tenth of it.
    static let longest = 16_384

    static func read(_ authorization: String?) throws(TokenError) -> String {
        guard let authorization else { throw .noToken }
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { throw .noToken }
        guard parts.count == 2 else { throw .invalid(.malformed) }
        return String(parts[1])
    }

    /// What is no token at all is refused without asking anybody.
    static func check(_ token: String) throws(TokenError) {
        guard !token.isEmpty, token.utf8.count <= longest, token.utf8.allSatisfy(isAllowed) else { throw .invalid(.malformed) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}
