import HTTP
import Text

/// What the operations of a document share, gathered while they are written.
struct OpenAPIComponents {
    private var schemas: [String: JSONObject] = [:]
    private var responses = JSONObject()
    private var securitySchemes = JSONObject()
    private(set) var ambiguousNames: [String] = []

    var value: JSONValue {
        let named = schemas.sorted { $0.key < $1.key }.map { JSONObject.Member(key: $0.key, value: .object($0.value)) }
        return [
            "schemas": .object(JSONObject(named)), "responses": .object(responses),
            "securitySchemes": .object(securitySchemes),
        ]
    }

    /// A schema in its place, its parts among the others.
    mutating func use(_ schema: Schema) -> JSONValue {
        for (name, keywords) in schema.components {
            if let other = schemas[name], other != keywords { ambiguousNames.append(name) }
            schemas[name] = keywords
        }
        return .object(schema.keywords)
    }

    /// The answers that any route of an API can give.
    mutating func add(_ api: RouteGroupDocumentation, of name: String) {
        let content: JSONValue = [api.failureType: ["schema": use(api.failure)]]
        responses["\(name).failure"] = [
            "description": "The request reaches no endpoint, or the server made a mistake.", "content": content,
        ]
        responses["\(name).unavailable"] = [
            "description": "A store is away, or more is waiting than can be done: come back later.",
            "headers": Self.fields(of: .serviceUnavailable), "content": content,
        ]
    }

    mutating func operation(_ route: Route, at path: String, of api: RouteGroup) -> JSONValue {
        let documentation = route.documentation
        var operation = JSONObject()
        operation["operationId"] = .string(Self.identifier(route.method, path))
        operation["tags"] = .array([.string(api.name)])
        operation["summary"] = .string(documentation.summary)
        operation["description"] = documentation.details.map { .string($0) }
        operation["security"] = .array(documentation.security.map { use($0) })
        if !documentation.parameters.isEmpty {
            operation["parameters"] = .array(documentation.parameters.map { parameter($0) })
        }
        if let body = documentation.body {
            let schema: JSONValue = ["schema": use(body.schema)]
            let content = route.accepts.types.map { JSONObject.Member(key: $0, value: schema) }
            operation["requestBody"] = ["required": .bool(body.isRequired), "content": .object(JSONObject(content))]
        }
        operation["responses"] = answers(documentation, of: route, at: api)
        return .object(operation)
    }

    /// Such as `postAuthLogin`, for generators of clients.
    private static func identifier(_ method: Method, _ path: String) -> String {
        // What a hyphen joins is one word, so that `/a-b` is not `/a/b`.
        let segments = path.split { !$0.isLetter && !$0.isNumber && $0 != "-" }
        let words = segments.map { $0.prefix(1).uppercased() + $0.dropFirst().filter { $0 != "-" } }
        return method.name.lowercased() + words.joined() + (path.hasSuffix("/") ? "Slash" : "")
    }

    private mutating func use(_ scheme: SecurityScheme) -> JSONValue {
        guard !scheme.isNone else { return .object(JSONObject()) }
        securitySchemes[scheme.name] = scheme.definition
        return [scheme.name: []]
    }

    private mutating func parameter(_ parameter: DocumentedParameter) -> JSONValue {
        [
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
            "required": .bool(parameter.place == .path), "description": .string(parameter.meaning),
            "schema": use(parameter.schema),
        ]
    }
}

extension OpenAPIComponents {
    /// What is answered by the endpoint, and beside that by the API.
    private mutating func answers(_ documentation: RouteDocumentation, of route: Route, at api: RouteGroup) -> JSONValue {
        var answers: [UInt16: JSONValue] = [503: ["$ref": .string("#/components/responses/\(api.name).unavailable")]]
        for status in Self.failures(of: route) {
            answers[status.code] = ["$ref": .string("#/components/responses/\(api.name).failure")]
        }
        let failures = api.documentation
        for (code, responses) in Dictionary(grouping: documentation.responses, by: \.status.code) {
            let isAlsoFailure = answers[code] != nil
            answers[code] = answer(isAlsoFailure ? responses + [failures.response(Status(code))] : responses)
        }
        let members = answers.sorted { $0.key < $1.key }.map { JSONObject.Member(key: "\($0.key)", value: $0.value) }
        return .object(JSONObject(members))
    }

    /// What is answered when a request does not reach the endpoint.
    private static func failures(of route: Route) -> [Status] {
        let malformed = HTTPParseError.allCases.map(\.status).filter { $0 != .methodNotAllowed }
        let hasParameters = route.pattern.contains("{")
        return malformed + [.requestTimeout, .internalServerError]
            + (route.accepts == .none ? [] : [.unsupportedMediaType]) + (hasParameters ? [.notFound] : [])
    }

    /// Answers of one status as one.
    private mutating func answer(_ responses: [DocumentedResponse]) -> JSONValue {
        var answer = JSONObject()
        answer["description"] = .string(responses.map(\.meaning).joined(separator: " "))
        let fields = Self.fields(of: responses[0].status, responses.flatMap(\.fields))
        if !fields.isEmpty { answer["headers"] = fields }
        var types = JSONObject()
        for content in responses.compactMap(\.content) where types[content.type] == nil {
            types[content.type] = mediaType(responses.compactMap(\.content).filter { $0.type == content.type })
        }
        if !types.isEmpty { answer["content"] = .object(types) }
        return .object(answer)
    }

    private mutating func mediaType(_ contents: [DocumentedResponse.Content]) -> JSONValue {
        var schemas: [Schema] = []
        for content in contents where !schemas.contains(content.schema) { schemas.append(content.schema) }
        var type = JSONObject()
        type["schema"] = use(schemas.count == 1 ? schemas[0] : .anyOf(schemas))
        let examples = contents.compactMap(\.example).enumerated().map { index, example in
            JSONObject.Member(key: "\(index + 1)", value: ["value": example])
        }
        if !examples.isEmpty { type["examples"] = .object(JSONObject(examples)) }
        return .object(type)
    }

    /// The fields of an answer, those that its status asks for among them.
    private static func fields(of status: Status, _ further: [(name: String, meaning: String)] = []) -> JSONValue {
        var fields = JSONObject()
        switch status {
        case .unauthorized: fields["WWW-Authenticate"] = field("The challenge.", .string)
        case .serviceUnavailable, .tooManyRequests: fields["Retry-After"] = field("After how many seconds.", .integer)
        default: break
        }
        for (name, meaning) in further { fields[name] = field(meaning, .string) }
        return .object(fields)
    }

    private static func field(_ meaning: String, _ schema: Schema) -> JSONValue {
        ["description": .string(meaning), "schema": .object(schema.keywords)]
    }
}

extension RouteGroupDocumentation {
    /// A failure that has the status of an endpoint's own answers.
    fileprivate func response(_ status: Status) -> DocumentedResponse {
        let content = DocumentedResponse.Content(type: failureType, schema: failure, example: nil)
        return DocumentedResponse(status, "Or the request does not reach the endpoint.", content: content)
    }
}

extension JSONValue {
    fileprivate var isEmpty: Bool { objectValue?.isEmpty ?? false }
}
