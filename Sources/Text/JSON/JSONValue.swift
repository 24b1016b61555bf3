/// A JSON document (RFC 8259 §3) as a value.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent that fits in 64 bits.
    case integer(Int64)
    /// Any other number; finite when it comes from the parser.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var type: JSONType {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .integer, .double: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, also when it was written with a fraction of zero or an exponent: `1.0` is the number 1.
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of an object; `nil` when there is none or this is not an object.
    package subscript(key: String) -> JSONValue? {
        objectValue?[key]
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    package init(floatLiteral value: Double) {
        self = .double(value)
    }

    package init(nilLiteral: ()) {
        self = .null
    }

    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(key: $0, value: $1) }))
    }
}

/// The types of RFC 8259 §3 under the names that error messages use.
package enum JSONType: String, Sendable {
    case string, number, boolean, null, object, array
}
