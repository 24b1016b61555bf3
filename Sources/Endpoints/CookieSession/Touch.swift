import HTTP
import Routing

extension CookieAPI {
    /// `GET /touch`: whether the session lives, and unless configured otherwise it lives on. The cookie stays
    /// as it is, so that a copy of it that the app puts back is as good.
    struct Touch: Endpoint {
        static let method = Method.get
        static let path = "/touch"

        let gate: Gate

        func answer(_ request: Request) async throws(Failure) -> Response {
            let session = try await gate.session(of: request, slides: gate.policy.touchSlides)
            return Answer.make { Answer.write(session, to: &$0) }
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Ask whether the session lives, and keep it alive", security: [Gate.scheme],
                responses: [
                    .json(
                        .ok, "It does.", Answer.schema([.required("session", Answer.sessionSchema)]))
                ] + Gate.refusals)
        }
    }
}
