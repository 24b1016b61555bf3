package import Text

/// What a JSON value or the fields of a form look like: a JSON Schema (2020-12), as OpenAPI 3.1 takes it.
package struct Schema: Equatable, Sendable {
    package private(set) var keywords: JSONObject
    /// The schemas that this one refers to, by their names in the document.
    package private(set) var components: [String: JSONObject] = [:]

    package init(_ keywords: JSONObject = JSONObject()) {
        self.keywords = keywords
    }

    fileprivate init(_ keywords: KeyValuePairs<String, JSONValue>, using parts: [Schema] = []) {
        self.init(JSONObject(keywords.map { JSONObject.Member(key: $0, value: $1) }))
        for part in parts { components.merge(part.components) { first, _ in first } }
    }

    var value: JSONValue { .object(keywords) }

    /// The same schema with one more keyword.
    package func with(_ keyword: String, _ value: JSONValue) -> Schema {
        var copy = self
        copy.keywords[keyword] = value
        return copy
    }

    /// What the value means, in a sentence.
    package func described(_ text: String) -> Schema { with("description", .string(text)) }

    package func example(_ value: JSONValue) -> Schema { with("examples", .array([value])) }

    /// A reference to this schema, which the document then has once, under a name of letters and digits.
    package func named(_ name: String) -> Schema {
        var reference = Schema(["$ref": .string("#/components/schemas/\(name)")], using: [self])
        reference.components[name] = keywords
        return reference
    }
}

extension Schema {
    package static let any = Schema()
    package static let string = Schema(["type": "string"])
    package static let boolean = Schema(["type": "boolean"])
    package static let integer = Schema(["type": "integer"])
    package static let number = Schema(["type": "number"])
    package static let null = Schema(["type": "null"])
    package static let uuid = string.with("format", "uuid")
    /// RFC 3339, in UTC.
    package static let time = string.with("format", "date-time")
    /// An e-mail address. The rules for it are not those of JSON Schema, so that it is no more than a hint.
    package static let email = string.with("format", "email")
    package static let url = string.with("format", "uri")
    /// Never shown once it has been entered.
    package static let password = string.with("format", "password")

    /// The lengths are in Unicode scalars.
    package static func string(_ lengths: ClosedRange<Int>) -> Schema {
        string.with("minLength", .integer(Int64(lengths.lowerBound))).with("maxLength", .integer(Int64(lengths.upperBound)))
    }

    package static let nonEmpty = string.with("minLength", 1)

    /// - Parameter pattern: a regular expression of ECMA-262.
    package static func string(matching pattern: String) -> Schema { string.with("pattern", .string(pattern)) }

    package static func choice(_ values: [String]) -> Schema { string.with("enum", .array(values.map { .string($0) })) }

    package static func constant(_ text: String) -> Schema { string.with("const", .string(text)) }

    package static func array(of element: Schema) -> Schema {
        Schema(["type": "array", "items": element.value], using: [element])
    }

    package static func oneOrMore(of element: Schema) -> Schema { array(of: element).with("minItems", 1) }

    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema(["anyOf": .array(schemas.map(\.value))], using: schemas)
    }

    /// An object of any names, all of whose values are alike.
    package static func dictionary(of element: Schema) -> Schema {
        Schema(["type": "object", "additionalProperties": element.value], using: [element])
    }

    /// A form, none of whose fields may be repeated.
    package static func form(_ fields: [Member]) -> Schema {
        object(fields).with("additionalProperties", string.value)
    }

    package static func object(_ members: [Member]) -> Schema {
        let properties = members.map { JSONObject.Member(key: $0.name, value: $0.schema.value) }
        let object = Schema(["type": "object", "properties": .object(JSONObject(properties))], using: members.map(\.schema))
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return required.isEmpty ? object : object.with("required", .array(required))
    }

    package var orNull: Schema { .anyOf([self, .null]) }

    /// An object that may have further members.
    package var withFurtherMembers: Schema { with("additionalProperties", .object(JSONObject())) }

    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        package let schema: Schema
        package let isRequired: Bool

        package static func required(_ name: String, _ schema: Schema) -> Member {
            Member(name: name, schema: schema, isRequired: true)
        }

        package static func optional(_ name: String, _ schema: Schema) -> Member {
            Member(name: name, schema: schema, isRequired: false)
        }
    }
}
