import Endpoints
import HTTP

extension Worker {
    /// The doors that are open, and the document of what they offer.
    static func doors(_ services: Services, _ configuration: Configuration) -> [Door] {
        let open = configuration.doors.open
        let doors = DoorKind.all.filter { configuration.serves($0.name) }.map { kind in
            kind.make(services, configuration.doors[prefixOf: kind.name])
        }
        guard open.contains(OpenAPIDoor.name) else { return doors }
        return doors + [OpenAPIDoor.make { own in document(of: doors + [own], services, configuration) }]
    }

    static func document(of doors: [Door], _ services: Services, _ configuration: Configuration) -> OpenAPIDocument {
        // Made for what stands beside its routes; it is never asked.
        let operations = OperationsDoor.make(services, others: [], phase: ServerPhase()) { MetricsReport() }
        return OpenAPIDocument(
            version: Version.text,
            listeners: [
                .init(doors, url: configuration.issuer, summary: "Where applications reach the server."),
                .init([operations], url: "http://127.0.0.1:9090", summary: "`KIDOBAN_OPERATIONS_LISTEN`, not for the public."),
            ])
    }

    /// - Throws: `StartError.configuration` when two doors would answer the same requests.
    static func router(_ doors: [Door]) throws(StartError) -> Router {
        do throws(RouterError) {
            // What no door is near to is worded by the app's or, if that was left out, by the first that is there.
            return try Router(doors: doors, fallback: doors.first?.failure ?? Router.plainText)
        } catch {
            throw .configuration(Self.explanation(error))
        }
    }

    private static func explanation(_ error: RouterError) -> String {
        switch error {
        case .malformedPattern(let pattern): "\(pattern) is no path"
        case .duplicateRoute(let method, let pattern, let doors):
            "the doors \(doors.joined(separator: " and ")) would both answer \(method.name) \(pattern): "
                + "leave one out of KIDOBAN_DOORS, or give one a prefix"
        }
    }
}
