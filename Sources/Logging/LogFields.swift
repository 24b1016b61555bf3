/// The fields of a log line in the order in which they are written; a later value of the same name replaces an earlier one.
package struct LogFields: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    struct Field: Equatable, Sendable {
        let name: String
        let value: LogValue
    }

    private(set) var fields: [Field] = []

    package init(dictionaryLiteral elements: (String, LogValue)...) {
        fields.reserveCapacity(elements.count)
        for (name, value) in elements { set(name, value) }
    }

    package subscript(name: String) -> LogValue? {
        get {
            fields.first { $0.name == name }?.value
        }
        set {
            if let newValue { set(name, newValue) } else { fields.removeAll { $0.name == name } }
        }
    }

    /// These fields followed by the others, which win.
    package func merging(_ others: LogFields) -> LogFields {
        if fields.isEmpty { return others }
        var merged = self
        for field in others.fields { merged.set(field.name, field.value) }
        return merged
    }

    private mutating func set(_ name: String, _ value: LogValue) {
        if let index = fields.firstIndex(where: { $0.name == name }) {
            fields.remove(at: index)
        }
        fields.append(Field(name: name, value: value))
    }
}
