import Text

/// How text travels in a mail: in lines of at most 76 octets of ASCII.
package enum MailEncoding: String, Sendable {
    /// RFC 2045 §6.7.
    case quotedPrintable = "quoted-printable"
    /// RFC 2045 §6.8.
    case base64

    static let lineLength = 76

    /// What keeps a text readable if it is nearly all ASCII, and short if it is not.
    package static func suiting(_ text: String) -> MailEncoding {
        let foreign = text.utf8.count { $0 >= 0x80 }
        return foreign * 6 > text.utf8.count ? .base64 : .quotedPrintable
    }

    /// The encoded text, which ends in CR LF. Line ends of any kind become CR LF.
    package func encode(_ text: String) -> [UInt8] {
        switch self {
        case .quotedPrintable: Self.quotedPrintable(text)
        case .base64: Self.base64(text)
        }
    }

    private static func base64(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        var rest = [UInt8](Base64.encode([UInt8](lines(text).joined(separator: "\r\n").utf8)).utf8)[...]
        repeat {
            output += rest.prefix(lineLength)
            output += [0x0D, 0x0A]
            rest = rest.dropFirst(lineLength)
        } while !rest.isEmpty
        return output
    }

    private static func quotedPrintable(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        for line in lines(text) {
            var width = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isLast = index == bytes.count - 1
                let piece = octets(byte, isLast: isLast)
                // The last octet of a line needs no room for the `=` of a soft line break.
                if width + piece.count > (isLast ? lineLength : lineLength - 1) {
                    output += [UInt8(ascii: "="), 0x0D, 0x0A]
                    width = 0
                }
                output += piece
                width += piece.count
            }
            output += [0x0D, 0x0A]
        }
        return output
    }

    private static func octets(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        switch byte {
        // White space at the end of a line does not survive every server.
        case 0x20, 0x09: if !isLast { return [byte] }
        case UInt8(ascii: "="): break
        case 0x21...0x7E: return [byte]
        default: break
        }
        return [UInt8(ascii: "=")] + Array(Hex.encode([byte]).uppercased().utf8)
    }

    /// Without a last line that is empty.
    private static func lines(_ text: String) -> [Substring] {
        var lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
        return lines
    }
}

/// Text in the header of a mail.
enum MailHeaderText {
    /// Octets of UTF-8 in an encoded word, so that with the longest name of a field before it the line has at most 76 octets.
    private static let wordLength = 39

    /// As it is where that is plain and short, else as encoded words (RFC 2047), of which none ends inside a character. Line ends and
    /// other control characters become spaces: nothing that a value holds begins a new field.
    static func encoded(_ text: String) -> String {
        let clean = withoutControls(text)
        let isPlain = clean.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard !isPlain || clean.utf8.count > 60 || clean.contains("=?") else { return clean }
        return words(clean)
    }

    /// The name in front of an address: a quoted string (RFC 5322 §3.2.4) or encoded words.
    static func phrase(_ name: String) -> String {
        let encoded = encoded(name)
        guard encoded == name else { return encoded }
        return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func words(_ text: String) -> String {
        var chunks: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if chunks[chunks.count - 1].count + bytes.count > wordLength { chunks.append([]) }
            chunks[chunks.count - 1] += bytes
        }
        return chunks.map { "=?UTF-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }

    private static func withoutControls(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
