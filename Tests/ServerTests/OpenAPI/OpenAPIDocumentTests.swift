import Endpoints
import HTTP
import Routing
import TestSupport
import Testing
import Text

@testable import Server

@Suite struct OpenAPIDocumentTests {
    private let document: OpenAPIDocument
    private let apis: [RouteGroup]

    init() throws {
        document = try PrintOpenAPI.document(Configuration())
        apis = try PrintOpenAPI.idleWorker(Configuration()).apis
    }

    /// An operation of the document.
    private struct Operation {
        let path: String
        let method: String
        let value: JSONValue

        var name: String { "\(method) \(path)" }
    }

    private var operations: [Operation] {
        let paths = document.value["paths"]?.objectValue?.members ?? []
        return paths.flatMap { path in
            (path.value.objectValue?.members ?? []).filter { $0.key != "servers" }.map {
                Operation(path: path.key, method: $0.key.uppercased(), value: $0.value)
            }
        }
    }

    @Test func `the document in the repository is the one that the program prints`() async throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let printed = Printed()
        #expect(await Program.run(arguments: ["openapi"], environment: [:], console: printed.console) == ExitStatus.success)
        let isCurrent = try TestFile.text(of: root + "/openapi.json") == printed.output
        #expect(isCurrent, "run `make openapi`")
    }

    @Test func `no route is without an entry, and no entry without a route`() {
        let public_ = apis.flatMap { api in
            api.routes.map { "\($0.method.name) \(api.prefix)\($0.pattern)".replacing("...}", with: "}") }
        }
        let operations = ["GET /health/live", "GET /health/ready", "GET /metrics"]
        #expect(self.operations.map(\.name).sorted() == (public_ + operations).sorted())
    }

    @Test func `what must be unique is`() {
        let ids = operations.map { $0.value["operationId"]?.stringValue ?? "" }
        #expect(Set(ids).count == ids.count, "\(ids.sorted())")
        #expect(document.ambiguousNames.isEmpty)
    }

    @Test func `each parameter of a path is documented, in the order of the path`() {
        for operation in operations {
            let wanted = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            let parameters = operation.value["parameters"]?.arrayValue ?? []
            let documented = parameters.filter { $0["in"] == "path" }.map { $0["name"]?.stringValue ?? "" }
            #expect(documented == wanted, "\(operation.name)")
        }
    }

    @Test func `a body is documented where one is read, and only there`() {
        for api in apis {
            for route in api.routes {
                let hasBody = route.documentation.body != nil
                #expect(hasBody == !route.accepts.types.isEmpty, "\(route.method.name) \(api.prefix)\(route.pattern)")
            }
        }
    }

    @Test func `each entry has a summary, says what is answered when all is well, and what when a store is away`() {
        for operation in operations {
            let answers = operation.value["responses"]?.objectValue?.members ?? []
            #expect(operation.value["summary"]?.stringValue?.isEmpty == false, "\(operation.name)")
            // A page may only lead on to another one.
            #expect(answers.contains { $0.key.hasPrefix("2") || $0.key == "303" }, "\(operation.name)")
            #expect(answers.contains { $0.key == "503" }, "\(operation.name)")
            for answer in answers where answer.value["$ref"] == nil {
                #expect(answer.value["description"]?.stringValue?.isEmpty == false, "\(operation.name) \(answer.key)")
            }
        }
    }

    @Test func `each reference leads somewhere, and nothing lies unused`() {
        var referred: Set<String> = []
        Self.collectReferences(document.value, &referred)
        let components = document.value["components"]?.objectValue?.members ?? []
        let present = components.filter { $0.key != "securitySchemes" }.flatMap { kind in
            (kind.value.objectValue?.members ?? []).map { "#/components/\(kind.key)/\($0.key)" }
        }
        #expect(referred == Set(present))
        let schemes = Set(
            operations.flatMap { $0.value["security"]?.arrayValue ?? [] }.flatMap { $0.objectValue?.members ?? [] }.map(\.key))
        #expect(schemes == Set(document.value["components"]?["securitySchemes"]?.objectValue?.members.map(\.key) ?? []))
    }

    @Test func `what an API is given as its prefix and issuer is in the document, and what is closed is not`() throws {
        var configuration = Configuration()
        configuration.issuer = "https://id.example.com"
        configuration.apis[prefixOf: "app"] = "/api/v1"
        configuration.apis.open = .only(["app"])
        let value = try PrintOpenAPI.document(configuration).value
        #expect(value["servers"]?.arrayValue?.first?["url"] == "https://id.example.com")
        #expect(value["paths"]?["/api/v1/auth/login"] != nil)
        #expect(value["paths"]?["/auth/login"] == nil)
        #expect(value["paths"]?["/oauth2/introspect"] == nil)
        #expect(value["paths"]?["/openapi.json"] == nil)
    }

    private static func collectReferences(_ value: JSONValue, _ found: inout Set<String>) {
        switch value {
        case .object(let object):
            for member in object.members {
                if member.key == "$ref", let reference = member.value.stringValue { found.insert(reference) }
                collectReferences(member.value, &found)
            }
        case .array(let elements): for element in elements { collectReferences(element, &found) }
        case .null, .bool, .integer, .double, .string: break
        }
    }
}
