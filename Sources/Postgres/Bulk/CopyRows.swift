/// Rows in the text format of COPY, one after another.
package struct CopyRows: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var isAtStart = true

    package init() {}

    package mutating func null() {
        separate()
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(ascii: "N"))
    }

    /// Text without NUL, which PostgreSQL cannot store.
    package mutating func text(_ text: String) {
        separate()
        escape(text.utf8)
    }

    package mutating func text(orNull text: String?) {
        if let text { self.text(text) } else { null() }
    }

    package mutating func bytes(_ text: [UInt8]) {
        separate()
        escape(text)
    }

    package mutating func integer(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    package mutating func integer(orNull value: Int64?) {
        if let value { integer(value) } else { null() }
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(UInt8(ascii: value ? "t" : "f"))
    }

    package mutating func textArray(_ elements: [String]) {
        separate()
        var literal: [UInt8] = [UInt8(ascii: "{")]
        for (index, element) in elements.enumerated() {
            if index > 0 { literal.append(UInt8(ascii: ",")) }
            literal.append(UInt8(ascii: "\""))
            for byte in element.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { literal.append(UInt8(ascii: "\\")) }
                literal.append(byte)
            }
            literal.append(UInt8(ascii: "\""))
        }
        literal.append(UInt8(ascii: "}"))
        escape(literal)
    }

    package mutating func endRow() {
        bytes.append(UInt8(ascii: "\n"))
        isAtStart = true
    }

    private mutating func separate() {
        if !isAtStart { bytes.append(UInt8(ascii: "\t")) }
        isAtStart = false
    }

    private mutating func escape(_ text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(contentsOf: [byte, byte])
            case UInt8(ascii: "\t"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case UInt8(ascii: "\n"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case UInt8(ascii: "\r"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            default: bytes.append(byte)
            }
        }
    }
}
