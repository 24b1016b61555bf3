package import HTTP
import Identity

/// The token resource: one URL, three verbs, in the words of FastAPI (the token resource contract).
package enum TokenDoor {
    /// How much longer an access token lives than its `expires_at` says: the device's clock may run behind (§3).
    static let leeway = Duration.seconds(60)
    /// How long ago an access token may have expired that still signs out (§4).
    static let lateness = Duration.seconds(86_400)

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

/// One verb of the token resource. It throws what went wrong; the door words it.
protocol TokenEndpoint: Sendable {
    static var method: Method { get }
    static var accepts: AcceptedContent { get }
    static var documentation: RouteDocumentation { get }

    func answer(_ request: Request) async throws(TokenError) -> Response
}

extension TokenEndpoint {
    static var accepts: AcceptedContent { .none }
}
