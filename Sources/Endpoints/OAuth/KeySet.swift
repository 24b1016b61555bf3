import HTTP
import Identity

/// `GET /.well-known/jwks.json`: the public keys, for backends that verify access tokens by themselves (RFC 7517 §5).
struct KeySet: Sendable {
    /// Five minutes, so that a new key is known everywhere long before it signs.
    private static let fields: ResponseFields = [
        "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*",
    ]

    let keys: KeyRingSlot

    func answer(_ request: Request) async throws(OAuthError) -> Response {
        guard let ring = keys.ring else { throw .unavailable(retryAfter: .seconds(1)) }
        return .json(.ok, ring.rendered, fields: Self.fields)
    }
}
