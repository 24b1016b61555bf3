import Endpoints
import Routing
import TestSupport
import Testing
import Text

/// Holds the answers of a server against its OpenAPI document: status, content type and body. Stricter than the document, an
/// answer may have no member that is not described.
struct DocumentedAnswers: Sendable {
    private struct Path: Sendable {
        let segments: [Substring]
        let item: JSONValue

        /// How many segments stand there literally; nil when the path does not match.
        func match(_ target: [Substring]) -> Int? {
            guard segments.count == target.count else { return nil }
            var literal = 0
            for (segment, part) in zip(segments, target) where !(segment.hasPrefix("{") && !part.isEmpty) {
                guard segment == part else { return nil }
                literal += 1
            }
            return literal
        }
    }

    private let paths: [Path]
    private let schemas: SchemaValidator
    private let components: JSONValue?

    /// - Parameter hasOwnServer: whether it is about the paths that name a server of their own, as those of the operations do.
    init(_ document: OpenAPIDocument, hasOwnServer: Bool) {
        let value = document.value
        let all = value["paths"]?.objectValue?.members ?? []
        paths = all.filter { ($0.value["servers"] != nil) == hasOwnServer }.map {
            Path(segments: Self.segments($0.key), item: $0.value)
        }
        components = value["components"]
        schemas = SchemaValidator(components: components?["schemas"])
    }

    /// Records an issue for an answer that is not documented. What no route takes is not looked at.
    @Sendable func check(_ request: TestHTTPRequest, _ response: TestHTTPResponse) {
        guard let operation = operation(of: request), response.status != 405 else { return }
        for problem in problems(of: response, in: operation, hasBody: request.method != "HEAD") {
            Issue.record("\(request.method) \(request.target) → \(response.status) \(response.text): \(problem)")
        }
    }

    private func operation(of request: TestHTTPRequest) -> JSONValue? {
        let target = Self.segments(String(request.target.prefix { $0 != "?" }))
        let matches = paths.compactMap { path in path.match(target).map { (path, $0) } }
        guard let (path, _) = matches.max(by: { $0.1 < $1.1 }) else { return nil }
        return path.item[request.method == "HEAD" ? "get" : request.method.lowercased()]
    }

    private func problems(of response: TestHTTPResponse, in operation: JSONValue, hasBody: Bool) -> [String] {
        guard let answer = operation["responses"]?["\(response.status)"].map(resolved) else {
            return ["the status is not documented"]
        }
        guard hasBody else { return [] }
        guard let content = answer["content"]?.objectValue else {
            return response.body.isEmpty ? [] : ["no body is documented"]
        }
        let type = (response.value("Content-Type") ?? "").prefix { $0 != ";" }
        guard let schema = content[String(type)]?["schema"] else { return ["the content type \(type) is not documented"] }
        guard type.hasSuffix("json") else { return [] }
        guard let body = try? JSON.parse(response.body, maximumValues: 100_000) else { return ["the body is no JSON"] }
        return schemas.problems(of: body, schema)
    }

    private func resolved(_ answer: JSONValue) -> JSONValue {
        guard let name = answer["$ref"]?.stringValue?.split(separator: "/").last else { return answer }
        return components?["responses"]?[String(name)] ?? answer
    }

    private static func segments(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
