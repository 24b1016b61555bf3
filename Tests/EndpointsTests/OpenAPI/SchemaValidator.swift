import Text

/// The part of JSON Schema (2020-12) that `Schema` can say. A keyword it does not know is a problem, so that none goes unchecked.
struct SchemaValidator: Sendable {
    let components: JSONValue?

    /// What is wrong with a value, each with its place; none when the schema describes it.
    func problems(of value: JSONValue, _ schema: JSONValue, at place: String = "$") -> [String] {
        let keywords = schema.objectValue?.members ?? []
        return keywords.flatMap { problems(of: value, $0.key, $0.value, schema, place) }
    }

    private func problems(
        of value: JSONValue, _ keyword: String, _ argument: JSONValue, _ schema: JSONValue, _ place: String
    ) -> [String] {
        func demand(_ holds: Bool) -> [String] { holds ? [] : ["\(place) breaks \(keyword)"] }
        switch keyword {
        case "description", "examples", "format", "required": return []
        case "$ref":
            let name = argument.stringValue?.split(separator: "/").last.map(String.init) ?? ""
            guard let target = components?[name] else { return ["\(place): there is no schema \(name)"] }
            return problems(of: value, target, at: place)
        case "type":
            return demand(argument.stringValue == typeName(value) || (argument == "number" && typeName(value) == "integer"))
        case "const": return demand(value == argument)
        case "enum": return demand(argument.arrayValue?.contains(value) ?? false)
        case "minLength": return demand((value.stringValue?.unicodeScalars.count ?? .max) >= argument.integerValue ?? 0)
        case "maxLength": return demand((value.stringValue?.unicodeScalars.count ?? 0) <= argument.integerValue ?? 0)
        case "minItems": return demand((value.arrayValue?.count ?? .max) >= argument.integerValue ?? 0)
        case "pattern": return demand(matches(value, argument))
        case "items":
            return (value.arrayValue ?? []).enumerated().flatMap { problems(of: $1, argument, at: "\(place)[\($0)]") }
        case "anyOf": return demand((argument.arrayValue ?? []).contains { problems(of: value, $0, at: place).isEmpty })
        case "properties": return members(value, argument, schema, place)
        case "additionalProperties" where schema["properties"] == nil:
            return members(value, .object(JSONObject()), schema, place)
        case "additionalProperties": return []
        default: return ["\(place) has the unknown keyword \(keyword)"]
        }
    }

    /// Members that are missing, wrong or not described.
    private func members(_ value: JSONValue, _ properties: JSONValue, _ schema: JSONValue, _ place: String) -> [String] {
        guard let object = value.objectValue else { return [] }
        let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        let missing = required.filter { object[$0] == nil }.map { "\(place).\($0) is missing" }
        return missing
            + object.members.flatMap { member -> [String] in
                let place = "\(place).\(member.key)"
                guard let property = properties[member.key] ?? schema["additionalProperties"] else {
                    return ["\(place) is not documented"]
                }
                return problems(of: member.value, property, at: place)
            }
    }

    private func matches(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
        guard let text = value.stringValue, let expression = try? Regex(pattern.stringValue ?? "") else { return false }
        return text.firstMatch(of: expression) != nil
    }

    private func typeName(_ value: JSONValue) -> String {
        switch value {
        case .integer: "integer"
        case .null, .bool, .double, .string, .array, .object: value.type.rawValue
        }
    }
}
