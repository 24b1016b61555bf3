import HTTP
import Routing

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
