import HTTP
import Identity
import Routing
import Text

extension Providers {
    /// `POST /federation/apple/notifications`: Apple's server-to-server notifications, `{"payload": "<JWS>"}`. 200 says that it is done or
    /// of no concern; after anything else Apple sends it again.
    struct AppleNotifications: Sendable {
        let notices: ProviderNotices

        func answer(_ request: Request) async throws(Failure) -> Response {
            guard let payload = (try? JSON.parse(request.body))?["payload"]?.stringValue else { throw .malformed }
            try await taking { () throws(NoticeFailure) in try await notices.takeApple(payload, caller: Caller(request)) }
            return .empty(.ok, fields: .notStored)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "What happened to an Apple account that a user signs in with",
                details: "Apple's server-to-server notifications.",
                body: .required(.object([.required("payload", .string.described("A JWS of Apple's."))])),
                responses: [.empty(.ok, "It is done, or of no concern."), Failure.refused, Failure.notConfigured])
        }
    }
}
