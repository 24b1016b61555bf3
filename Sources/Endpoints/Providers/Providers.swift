import HTTP
package import Routing

/// What identity providers tell us of our users' accounts with them: nobody signs in here, and every message proves itself.
package enum Providers {
    package static func make(_ services: Services) -> RouteGroup {
        RouteGroup(
            name: "federation",
            routes: [
                Route(
                    .post, "/federation/apple/notifications", accepts: .json, documentation: AppleNotifications.documentation
                ) { request in await answer(request, AppleNotifications(notices: services.notices).answer) },
                Route(
                    .post, "/federation/google/events", accepts: .securityEvent, documentation: GoogleEvents.documentation
                ) { request in await answer(request, GoogleEvents(notices: services.notices).answer) },
            ],
            documentation: Failure.documentation, failure: { failure, _ in Failure.request(failure).response })
    }

    private static func answer(
        _ request: Request, _ endpoint: (Request) async throws(Failure) -> Response
    ) async -> Response {
        do throws(Failure) {
            return try await endpoint(request)
        } catch {
            return error.response
        }
    }
}
