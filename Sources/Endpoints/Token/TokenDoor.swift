package import HTTP
import Identity

/// The token resource: one URL, three verbs, in the words of FastAPI (the token resource contract).
package enum TokenDoor {
    /// - Parameter prefix: what stands before `/auth`; empty for none.
    package static func make(_ services: Services, prefix: String) -> Door {
        Door(
            name: "token", prefix: prefix,
            routes: both(ObtainToken(services: services)) + both(RenewToken(services: services))
                + both(EndToken(services: services)),
            documentation: TokenError.documentation, failure: { failure, _ in TokenError.request(failure).response })
    }

    private static let path = "/auth/token"

    /// With and without a slash at the end, and never a redirect, on which URLSession may drop `Authorization` (§2).
    private static func both<Endpoint: TokenEndpoint>(_ endpoint: Endpoint) -> [Route] {
        [path, "\(path)/"].map { own in
            let documentation = own == path ? Endpoint.documentation : Endpoint.documentation.alias(of: path)
            return Route(
                Endpoint.method, own, accepts: Endpoint.accepts, documentation: documentation,
                handler: LimitFields.telling { request in
                    do throws(TokenError) {
                        return try await endpoint.answer(request)
                    } catch {
                        return error.response
                    }
                })
        }
    }
}
