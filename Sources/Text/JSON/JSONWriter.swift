/// Appends JSON text to a byte buffer, without white space, putting commas where they belong.
///
/// It trusts its caller to balance brackets and to write a key before each value of an object.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false
    private let escaping: JSONEscaping

    /// `capacity` is the number of bytes to reserve at once.
    package init(capacity: Int = 256, escaping: JSONEscaping = .required) {
        bytes.reserveCapacity(capacity)
        self.escaping = escaping
    }

    package mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    package mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    package mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// The name of the member whose value is written next.
    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(escaping: value, escaping)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A string of ASCII characters none of which needs an escape.
    mutating func plainString(_ value: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    package mutating func integer(_ value: Int64) {
        separate()
        bytes.append(decimal: value)
        needsComma = true
    }

    package mutating func integer(_ value: Int) {
        integer(Int64(value))
    }

    /// A number that is not finite becomes `null`, as in ECMAScript.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// JSON text that was rendered before, taken as one value without a look at it.
    package mutating func raw(_ rendered: [UInt8]) {
        separate()
        bytes.append(contentsOf: rendered)
        needsComma = true
    }

    /// A whole document as one value.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            self.object(object)
        }
    }

    package mutating func object(_ object: JSONObject) {
        beginObject()
        for member in object.members {
            key(member.key)
            value(member.value)
        }
        endObject()
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}

extension JSONValue {
    /// The document as JSON text without white space. A double that is not finite becomes `null`, as in ECMAScript.
    package var serialized: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
