import Endpoints
import HTTP
import Routing

extension Worker {
    /// The APIs that are open, and the document of what they offer.
    static func apis(_ parts: APIParts, _ configuration: Configuration) -> [RouteGroup] {
        let open = configuration.apis.open
        let apis = API.all.filter { configuration.serves($0.name) }.map { kind in
            kind.make(parts, configuration.apis[prefixOf: kind.name])
        }
        guard open.contains(OpenAPIRoutes.name) else { return apis }
        return apis + [OpenAPIRoutes.make { own in document(of: apis + [own], parts.services, configuration) }]
    }

    static func document(of apis: [RouteGroup], _ services: Services, _ configuration: Configuration) -> OpenAPIDocument {
        // Made for what stands beside its routes; it is never asked.
        let operations = Operations.make(services, others: [], phase: ServerPhase()) { Operations.MetricsReport() }
        return OpenAPIDocument(
            version: Version.text,
            listeners: [
                .init(apis, url: configuration.issuer, summary: "Where applications reach the server."),
                .init([operations], url: "http://127.0.0.1:9090", summary: "`KIDOBAN_OPERATIONS_LISTEN`, not for the public."),
            ])
    }

    /// - Throws: `StartError.configuration` when two APIs would answer the same requests.
    static func router(_ apis: [RouteGroup]) throws(StartError) -> Router {
        do throws(RouterError) {
            // What no API is near to is worded by the app's or, if that was left out, by the first that is there.
            return try Router(apis: apis, fallback: apis.first?.failure ?? Router.plainText)
        } catch {
            throw .configuration(Self.explanation(error))
        }
    }

    private static func explanation(_ error: RouterError) -> String {
        switch error {
        case .malformedPattern(let pattern): "\(pattern) is no path"
        case .duplicateRoute(let method, let pattern, let apis):
            "the APIs \(apis.joined(separator: " and ")) would both answer \(method.name) \(pattern): "
                + "leave one out of KIDOBAN_APIS, or give one a prefix"
        }
    }
}
