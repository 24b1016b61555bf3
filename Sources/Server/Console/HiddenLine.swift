/// A line that is typed without being seen, key by key.
struct HiddenLine {
    enum Step: Equatable {
        case more, done, calledOff
    }

    private var bytes: [UInt8] = []

    /// Nil when it is not UTF-8.
    var text: String? {
        String(validating: bytes, as: UTF8.self)
    }

    mutating func take(_ byte: UInt8) -> Step {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .done
        // Ctrl-C, and Ctrl-D on an empty line.
        case 0x03: return .calledOff
        case 0x04: return bytes.isEmpty ? .calledOff : .done
        // Backspace takes a whole character away, Ctrl-U the line.
        case 0x08, 0x7F:
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        case 0x15: bytes = []
        default: bytes.append(byte)
        }
        return bytes.count > ConsoleInput.maximumLength ? .calledOff : .more
    }
}
