import HTTP
import Identity
import Routing
import Text

extension AppAPI {
    /// `POST /auth/logout`: ends the session of a refresh token or, when the body names none, of the access token that the request
    /// carries. A refresh token that is none, or no longer one, and an access token whose session has been ended
    /// have nothing left to end: that is success too, also for requests at once.
    struct Logout: Endpoint {
        static let method = Method.post
        static let path = "/auth/logout"
        static let accepts = AcceptedContent.json

        let services: Services
        let bearer: BearerUser

        func answer(_ request: Request) async throws(Failure) -> Response {
            let caller = Caller(request)
            do throws(Failure) {
                guard !request.body.isEmpty else { throw .refreshTokenRequired }
                let token = try RefreshTokenField.read(try JSONBody(request).fields)
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await services.sessions.signOut(token, caller: caller)
                }
            } catch .refreshTokenRequired where request.head.value(of: .authorization) != nil {
                guard case .user(let user) = try await bearer.signingOut(request) else { return .empty(.noContent) }
                try await Failure.mapIdentityErrors { () throws(IdentityError) in
                    try await services.sessions.end(user.sessionID, of: user.userID, reason: .signedOut, caller: caller)
                }
            }
            return .empty(.noContent)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Sign out",
                details: "Ends the session of the refresh token or, when the body has none, of the access token.",
                security: [.none, BearerUser.scheme], body: .optional(.object([.optional("refreshToken", .string.orNull)])),
                responses: [
                    .empty(.noContent, "The session is over, if there was one."), Failure.tokenRequiredDocumented,
                    Failure.documented(.badRequest, "Invalid input", "The body is no JSON."),
                    Failure.documented(.unauthorized, "Invalid refresh token", "`refreshToken` is no string."),
                ] + BearerUser.refusals)
        }
    }
}
