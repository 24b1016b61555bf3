/// What the rules for text that people read have in common.
extension Unicode.Scalar {
    /// A control character (category Cc) or a line or paragraph separator (Zl, Zp): nothing that a name can contain.
    var breaksLines: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// A character that shows nothing, or turns the direction of what is around it (category Cf), but for the joiners of scripts and emoji.
    var isInvisible: Bool {
        properties.generalCategory == .format && self != "\u{200C}" && self != "\u{200D}"
    }

    var isASCIILetterOrDigit: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}

extension String {
    /// Whether a reader sees anything of it: fillers and the blank of Braille are drawn as nothing, too.
    var showsSomething: Bool {
        unicodeScalars.contains { scalar in
            let properties = scalar.properties
            return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
        }
    }

    /// Without white space (property White_Space) at either end.
    var trimmed: String {
        var scalars = Substring(self).unicodeScalars
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }
}
