import HTTP
import Routing

/// `GET /touch`: whether the session lives, and unless configured otherwise it lives on (cookie session contract §2). The cookie stays
/// as it is, so that a copy of it that the app puts back is as good.
struct CookieTouch: CookieEndpoint {
    static let method = Method.get
    static let path = "/touch"

    let gate: CookieGate

    func answer(_ request: Request) async throws(CookieError) -> Response {
        let session = try await gate.session(of: request, slides: gate.policy.touchSlides)
        return CookieAnswer.make { CookieAnswer.write(session, to: &$0) }
    }
}

extension CookieTouch {
    static var documentation: RouteDocumentation {
        RouteDocumentation(
            "Ask whether the session lives, and keep it alive", security: [CookieGate.scheme],
            responses: [
                .json(
                    .ok, "It does.", CookieAnswer.schema([.required("session", CookieAnswer.sessionSchema)]))
            ] + CookieGate.refusals)
    }
}
