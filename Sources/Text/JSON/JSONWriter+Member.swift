/// A key and its value at once, for the hand-written responses.
extension JSONWriter {
    package mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: Int) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: String, _ value: Int64) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: String, _ value: Double) {
        key(name)
        double(value)
    }

    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    package mutating func member(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    package mutating func member(_ name: String, _ value: JSONObject) {
        key(name)
        object(value)
    }

    /// In ISO 8601, with milliseconds.
    package mutating func member(_ name: String, _ value: Timestamp) {
        key(name)
        plainString(value.iso8601Bytes)
    }

    package mutating func member(_ name: String, _ value: UUID) {
        key(name)
        plainString(value.textBytes)
    }

    package mutating func member(_ name: String, _ values: [String]) {
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    /// `null` when there is no value. To leave the member out, do not write it.
    package mutating func member(_ name: String, orNull value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }

    package mutating func member(_ name: String, orNull value: Timestamp?) {
        member(name, orNull: value?.iso8601)
    }

    /// JSON text that was rendered before, taken without a look at it.
    package mutating func member(_ name: String, raw rendered: [UInt8]) {
        key(name)
        raw(rendered)
    }
}

extension [UInt8] {
    /// A number in decimal, written without a detour through `String`.
    package mutating func append(decimal value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(addingCapacity: 20) { $0.append(decimal: UInt(value.magnitude)) }
    }
}
