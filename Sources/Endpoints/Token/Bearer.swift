import HTTP
import Identity
import Routing
import Text

extension TokenAPI {
    /// The token that `Authorization: bearer …` carries, in whichever case the scheme is written (RFC 9110 §11.1).
    enum Bearer {
        /// - Throws: `TokenAPI.Failure.notAuthenticated` without the field, with another scheme, or with a scheme alone; `invalidToken` for
        ///   what can be no token.
        static func read(_ request: Request) throws(Failure) -> SecretString {
            guard let value = request.head.value(of: .authorization) else { throw .notAuthenticated }
            if let authorization = try? Authorization.parse(request.head), case .bearer(let token) = authorization {
                return token
            }
            let parts = value.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .notAuthenticated }
            throw .identity(.invalidToken)
        }
    }
}
