import HTTP
import Logging
import Text

/// `GET /openapi.json`: what this server offers, as OpenAPI 3.1.
package enum OpenAPIRoutes {
    private static let fields: ResponseFields = ["Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*"]

    package static let name = "openapi"

    /// - Parameter document: made when it is first asked for. It is given this API, to be in it too.
    package static func make(document: @escaping @Sendable (RouteGroup) -> OpenAPIDocument) -> RouteGroup {
        let rendering = Rendering()
        return RouteGroup(
            name: name,
            routes: [
                Route(.get, "/openapi.json", logLevel: .debug, documentation: documentation) { _ in
                    .json(.ok, rendering.bytes { document(make(document: document)).value.serialized }, fields: fields)
                        .sharingBody
                }
            ],
            documentation: .plainText("This document."), failure: Router.plainText)
    }

    private static var documentation: RouteDocumentation {
        RouteDocumentation(
            "What this server offers, as OpenAPI 3.1",
            responses: [
                .json(
                    .ok, "This document.",
                    .object([
                        .required("openapi", .string), .required("info", anyObject), .required("servers", .array(of: anyObject)),
                        .required("tags", .array(of: anyObject)), .required("paths", anyObject),
                        .required("components", anyObject),
                    ]))
            ])
    }

    private static let anyObject = Schema.dictionary(of: .any)

    /// The document once it is rendered. Unchecked, because it is read and set on its loop only: each loop has APIs of its own.
    private final class Rendering: @unchecked Sendable {
        private var rendered: [UInt8]?

        func bytes(_ render: () -> [UInt8]) -> [UInt8] {
            if let rendered { return rendered }
            let bytes = render()
            rendered = bytes
            return bytes
        }
    }
}
