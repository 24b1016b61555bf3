import HTTP
import Identity
import Routing

extension Providers {
    /// `POST /federation/google/events`: a security event token of Google's cross-account protection as the body (RFC 8935 §2.1). 202 says
    /// that it is done or of no concern.
    struct GoogleEvents: Sendable {
        let notices: ProviderNotices

        func answer(_ request: Request) async throws(Failure) -> Response {
            guard let token = String(validating: request.body, as: UTF8.self) else { throw .malformed }
            try await taking { () throws(NoticeFailure) in try await notices.takeGoogle(token, caller: Caller(request)) }
            return .empty(.accepted, fields: .notStored)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "What happened to a Google account that a user signs in with",
                details: "A security event token (RFC 8417) of Google's cross-account protection, pushed as RFC 8935 says.",
                body: .required(.string.described("A JWS of Google's.")),
                responses: [.empty(.accepted, "It is done, or of no concern."), Failure.refused, Failure.notConfigured])
        }
    }
}
