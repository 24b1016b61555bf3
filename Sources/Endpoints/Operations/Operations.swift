package import HTTP
import Logging
package import Routing

/// What operators ask, on a listener of its own that no balancer forwards to: is it alive, is it ready, how does it do.
package enum Operations {
    /// - Parameters:
    ///   - first: the loop that answers.
    ///   - others: the rest of the loops.
    ///   - collect: gathers the counters of all loops.
    package static func make(
        _ first: Services, others: [Services], phase: ServerPhase, collect: @escaping @Sendable () async -> MetricsReport
    ) -> RouteGroup {
        let ready = Ready(loops: [first] + others, keys: first.keys, phase: phase)
        return RouteGroup(
            name: "operations",
            routes: [
                Route(.get, "/health/live", logLevel: .debug, documentation: Live.documentation) { _ in Live.response },
                Route(.get, "/health/ready", logLevel: .debug, documentation: Ready.documentation) { _ in await ready.answer() },
                Route(.get, "/metrics", logLevel: .debug, documentation: PrometheusText.documentation) { _ in
                    Response(
                        .ok, contentType: "text/plain; version=0.0.4; charset=utf-8", body: PrometheusText.render(await collect())
                    )
                },
            ],
            documentation: .plainText("What operators ask, on a listener of its own: `KIDOBAN_OPERATIONS_LISTEN`."),
            failure: Router.plainText)
    }
}

extension Operations {
    /// `GET /health/live`: the process answers. It says nothing of the stores, so that nobody restarts it because of them.
    enum Live {
        static let response = Response.json(.ok, [UInt8]("{\"status\":\"live\"}".utf8), fields: ["Cache-Control": "no-store"])

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "Does the process answer?",
                responses: [.json(.ok, "It does.", .object([.required("status", .constant("live"))]))])
        }
    }
}
