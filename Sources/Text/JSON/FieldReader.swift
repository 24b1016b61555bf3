/// Reads the members of an object by type and collects every problem with its path, so that one answer can name them all.
///
/// A reading method returns `nil` for a field that is absent or wrong; only the latter, and the absence of a required field,
/// are problems. Read everything first, then look whether `problems` is empty.
package struct FieldReader: Sendable {
    /// What `null` means for an optional field.
    package enum NullPolicy: Sendable {
        case absent, wrongType
    }

    package private(set) var problems: [FieldProblem] = []
    /// Where the object lies in the document.
    package let path: [String]
    /// `nil` when the document is not an object: that is then the only problem.
    private let object: JSONObject?

    /// Anything but an object is the problem `wrongType` of the document itself.
    package init(_ document: JSONValue, path: [String] = []) {
        self.path = path
        object = document.objectValue
        if object == nil {
            problems = [FieldProblem(path: path, kind: .wrongType(expected: .object, received: document.type))]
        }
    }

    package var isClean: Bool {
        problems.isEmpty
    }

    /// Whether the object has the member, be it `null`.
    package func has(_ key: String) -> Bool {
        object?[key] != nil
    }

    /// The member as it is, without any demand.
    package func value(_ key: String) -> JSONValue? {
        object?[key]
    }

    package mutating func string(_ key: String) -> String? {
        required(key, .string)?.stringValue
    }

    package mutating func optionalString(_ key: String, null: NullPolicy = .absent) -> String? {
        optional(key, .string, null)?.stringValue
    }

    package mutating func bool(_ key: String) -> Bool? {
        required(key, .boolean)?.boolValue
    }

    package mutating func optionalBool(_ key: String, null: NullPolicy = .absent) -> Bool? {
        optional(key, .boolean, null)?.boolValue
    }

    /// A whole number; `1.0` and `1e2` count as whole.
    package mutating func integer(_ key: String) -> Int64? {
        whole(required(key, .number), key)
    }

    package mutating func optionalInteger(_ key: String, null: NullPolicy = .absent) -> Int64? {
        whole(optional(key, .number, null), key)
    }

    package mutating func double(_ key: String) -> Double? {
        required(key, .number)?.doubleValue
    }

    package mutating func optionalDouble(_ key: String, null: NullPolicy = .absent) -> Double? {
        optional(key, .number, null)?.doubleValue
    }

    package mutating func object(_ key: String) -> JSONObject? {
        required(key, .object)?.objectValue
    }

    package mutating func optionalObject(_ key: String, null: NullPolicy = .absent) -> JSONObject? {
        optional(key, .object, null)?.objectValue
    }

    package mutating func array(_ key: String) -> [JSONValue]? {
        required(key, .array)?.arrayValue
    }

    package mutating func optionalArray(_ key: String, null: NullPolicy = .absent) -> [JSONValue]? {
        optional(key, .array, null)?.arrayValue
    }

    /// An array whose elements are all strings; each that is not is a problem of its own.
    package mutating func optionalStrings(_ key: String, null: NullPolicy = .absent) -> [String]? {
        guard let elements = optionalArray(key, null: null) else { return nil }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            if let string = element.stringValue {
                strings.append(string)
            } else {
                add(.wrongType(expected: .string, received: element.type), at: [key, String(index)])
            }
        }
        return strings.count == elements.count ? strings : nil
    }

    /// Reads a nested object and takes over its problems. The body does not run when the member is absent or no object.
    package mutating func nested<Value>(_ key: String, _ body: (inout FieldReader) -> Value) -> Value? {
        guard let value = required(key, .object) else { return nil }
        var reader = FieldReader(value, path: path + [key])
        let result = body(&reader)
        problems.append(contentsOf: reader.problems)
        return result
    }

    /// Adds what the caller found out about a field by its own rules.
    package mutating func add(_ kind: FieldProblem.Kind, at key: String) {
        add(kind, at: [key])
    }

    /// The same with the rest of a longer path.
    package mutating func add(_ kind: FieldProblem.Kind, at keys: [String]) {
        problems.append(FieldProblem(path: path + keys, kind: kind))
    }

    private mutating func required(_ key: String, _ type: JSONType) -> JSONValue? {
        guard let object else { return nil }
        guard let value = object[key] else {
            add(.missing(expected: type), at: key)
            return nil
        }
        return checked(value, key, type)
    }

    private mutating func optional(_ key: String, _ type: JSONType, _ null: NullPolicy) -> JSONValue? {
        guard let value = object?[key] else { return nil }
        if value.type == .null, null == .absent { return nil }
        return checked(value, key, type)
    }

    private mutating func checked(_ value: JSONValue, _ key: String, _ type: JSONType) -> JSONValue? {
        guard value.type == type else {
            add(.wrongType(expected: type, received: value.type), at: key)
            return nil
        }
        return value
    }

    private mutating func whole(_ value: JSONValue?, _ key: String) -> Int64? {
        guard let value else { return nil }
        guard let integer = value.integerValue else {
            add(.notInteger, at: key)
            return nil
        }
        return integer
    }
}
