import HTTP
import Identity

/// Finds out whose access token a request carries (RFC 6750 §2.1). Tokens in a body or a query are never looked at.
struct BearerUser: Sendable {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    /// - Throws: `AppError.unauthorized`; 404 when the token's user has been deleted; 503 when a store is away.
    func authenticate(_ request: Request) async throws(AppError) -> AuthenticatedUser {
        guard let authorization = try? Authorization.parse(request.head) else {
            throw .unauthorized(request.head.value(of: .authorization) == nil ? .noToken : .invalidToken)
        }
        guard case .bearer(let token) = authorization else { throw .unauthorized(.noToken) }
        return try await deciding { () throws(IdentityError) in try await services.accessTokens.authenticate(token) }
    }
}
