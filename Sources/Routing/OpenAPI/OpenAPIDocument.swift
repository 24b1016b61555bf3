import HTTP
package import Text

/// The OpenAPI 3.1 document of a server, made from what stands beside its routes.
package struct OpenAPIDocument: Sendable {
    /// The APIs of a listener, and where it is reached.
    package struct Listener: Sendable {
        let apis: [RouteGroup]
        let url: String
        let summary: String

        package init(_ apis: [RouteGroup], url: String, summary: String) {
            self.apis = apis
            self.url = url
            self.summary = summary
        }
    }

    private static let introduction = """
        What holds for every request, the rules that no schema can say and examples for the command line are in `docs/api.md`. Members \
        that are not described are ignored in a request; a later version may add some to an answer.
        """

    /// Names of schemas that mean two different things: a mistake that tests look for.
    package private(set) var ambiguousNames: [String] = []
    private let version: String
    private let listeners: [Listener]
    private var components = OpenAPIComponents()
    private var tags: [JSONValue] = []
    private var paths = JSONObject()

    /// - Parameters:
    ///   - version: of the program.
    ///   - listeners: the public one first.
    package init(version: String, listeners: [Listener]) {
        self.version = version
        self.listeners = listeners
        for listener in listeners {
            for api in listener.apis { add(api, of: listener) }
        }
        ambiguousNames = components.ambiguousNames
    }

    package var value: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Kidoban", "version": .string(version), "summary": "An identity provider.",
                "description": .string(Self.introduction),
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": .array(listeners.prefix(1).map(Self.server)),
            "tags": .array(tags),
            "paths": .object(paths),
            "components": components.value,
        ]
    }

    private mutating func add(_ api: RouteGroup, of listener: Listener) {
        let documentation = api.documentation
        tags.append(["name": .string(api.name), "description": .string(documentation.summary)])
        components.add(documentation, of: api.name)
        for route in api.routes {
            // The document has no word for the rest of a path.
            let path = (api.prefix + route.pattern).replacing("...}", with: "}")
            var item = paths[path]?.objectValue ?? JSONObject()
            if listener.url != listeners.first?.url { item["servers"] = .array([Self.server(listener)]) }
            item[route.method.name.lowercased()] = components.operation(route, at: path, of: api)
            paths[path] = .object(item)
        }
    }

    private static func server(_ listener: Listener) -> JSONValue {
        ["url": .string(listener.url), "description": .string(listener.summary)]
    }
}
