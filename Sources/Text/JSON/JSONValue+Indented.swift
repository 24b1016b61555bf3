extension JSONValue {
    /// The document as text for people: two spaces a level, each member and element on a line of its own, a line feed at the end.
    package var indented: [UInt8] {
        indented(.required)
    }

    /// The same with more escaped.
    package func indented(_ escaping: JSONEscaping) -> [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, level: 0, escaping)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private func write(to bytes: inout [UInt8], level: Int, _ escaping: JSONEscaping) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            Self.write(elements, "[", "]", to: &bytes, level) { element, bytes in
                element.write(to: &bytes, level: level + 1, escaping)
            }
        case .object(let object) where !object.isEmpty:
            Self.write(object.members, "{", "}", to: &bytes, level) { member, bytes in
                bytes += JSONValue.string(member.key).text(escaping) + ": ".utf8
                member.value.write(to: &bytes, level: level + 1, escaping)
            }
        case .null, .bool, .integer, .double, .string, .array, .object:
            bytes += text(escaping)
        }
    }

    private func text(_ escaping: JSONEscaping) -> [UInt8] {
        var writer = JSONWriter(escaping: escaping)
        writer.value(self)
        return writer.bytes
    }

    private static func write<Item>(
        _ items: [Item], _ opening: String, _ closing: String, to bytes: inout [UInt8], _ level: Int,
        _ body: (Item, inout [UInt8]) -> Void
    ) {
        let newLine = [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 2 * level)
        bytes += opening.utf8
        for (index, item) in items.enumerated() {
            bytes += (index == 0 ? "" : ",").utf8
            bytes += newLine + "  ".utf8
            body(item, &bytes)
        }
        bytes += newLine + closing.utf8
    }
}
