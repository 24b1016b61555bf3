import Text

extension TokenAPI {
    /// Goes through a text as the scanner of CPython's `json` does, up to the first thing that it refuses. It makes no values.
    struct PythonJSONScanner {
        private typealias Failure = PythonJSONError

        /// Deeper texts are not looked at: the scanner is recursive.
        private static let maximumDepth = 200

        private let text: [Unicode.Scalar]
        private var position = 0
        private var depth = 0
        private var isTooDeep = false

        init(_ text: String) {
            self.text = Array(text.unicodeScalars)
        }

        /// What is wrong with the text, if anything is.
        mutating func document() -> PythonJSONError? {
            skipWhitespace()
            if let failure = value() { return isTooDeep ? nil : failure }
            skipWhitespace()
            return position == text.count ? nil : Failure("Extra data", at: position)
        }

        private var next: Unicode.Scalar? {
            position < text.count ? text[position] : nil
        }

        private mutating func skipWhitespace() {
            while let next, next == " " || next == "\t" || next == "\n" || next == "\r" { position += 1 }
        }

        private mutating func accept(_ literal: String) -> Bool {
            guard text[position...].starts(with: literal.unicodeScalars) else { return false }
            position += literal.unicodeScalars.count
            return true
        }

        private mutating func value() -> PythonJSONError? {
            guard depth < Self.maximumDepth else {
                isTooDeep = true
                return Failure("", at: position)
            }
            switch next {
            case "\"": return string()
            case "{": return nested { $0.object() }
            case "[": return nested { $0.array() }
            default: break
            }
            for literal in ["null", "true", "false", "NaN", "Infinity", "-Infinity"] where accept(literal) { return nil }
            return number()
        }

        private mutating func nested(_ body: (inout PythonJSONScanner) -> PythonJSONError?) -> PythonJSONError? {
            depth += 1
            position += 1
            skipWhitespace()
            defer { depth -= 1 }
            return body(&self)
        }

        private mutating func object() -> PythonJSONError? {
            if accept("}") { return nil }
            while true {
                guard next == "\"" else { return Failure("Expecting property name enclosed in double quotes", at: position) }
                if let failure = string() { return failure }
                skipWhitespace()
                guard accept(":") else { return Failure("Expecting ':' delimiter", at: position) }
                skipWhitespace()
                if let failure = value() { return failure }
                skipWhitespace()
                if accept("}") { return nil }
                guard accept(",") else { return Failure("Expecting ',' delimiter", at: position) }
                skipWhitespace()
            }
        }

        private mutating func array() -> PythonJSONError? {
            if accept("]") { return nil }
            while true {
                if let failure = value() { return failure }
                skipWhitespace()
                if accept("]") { return nil }
                guard accept(",") else { return Failure("Expecting ',' delimiter", at: position) }
                skipWhitespace()
            }
        }

        private mutating func string() -> PythonJSONError? {
            let begin = position
            position += 1
            while let scalar = next {
                switch scalar {
                case "\"":
                    position += 1
                    return nil
                case "\\":
                    if let failure = escape(begin) { return failure }
                case "\u{00}"..."\u{1F}":
                    return Failure("Invalid control character at", at: position)
                default:
                    position += 1
                }
            }
            return Failure("Unterminated string starting at", at: begin)
        }

        /// At a backslash.
        private mutating func escape(_ begin: Int) -> PythonJSONError? {
            position += 1
            guard let scalar = next else { return Failure("Unterminated string starting at", at: begin) }
            guard scalar == "u" else {
                guard "\"\\/bfnrt".unicodeScalars.contains(scalar) else { return Failure("Invalid \\escape", at: position - 1) }
                position += 1
                return nil
            }
            // A closing quote must follow the digits, or this is what is said.
            let digits = text[(position + 1)...].prefix(5)
            guard digits.count == 5, digits.prefix(4).allSatisfy(\.isHexDigit) else {
                return Failure("Invalid \\uXXXX escape", at: position)
            }
            position += 5
            return nil
        }

        private mutating func number() -> PythonJSONError? {
            let start = position
            if next == "-" { position += 1 }
            if next == "0" {
                position += 1
            } else if digits() == 0 {
                position = start
                return Failure("Expecting value", at: start)
            }
            fraction()
            exponent()
            return nil
        }

        private mutating func digits() -> Int {
            let start = position
            while let next, ("0"..."9").contains(next) { position += 1 }
            return position - start
        }

        private mutating func fraction() {
            let start = position
            if accept("."), digits() == 0 { position = start }
        }

        private mutating func exponent() {
            let start = position
            guard accept("e") || accept("E") else { return }
            if !accept("+") { _ = accept("-") }
            if digits() == 0 { position = start }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isHexDigit: Bool {
        switch self {
        case "0"..."9", "a"..."f", "A"..."F": true
        default: false
        }
    }
}

extension TokenAPI {
    /// What is wrong with a text that is no JSON, in the words of Python's `json` module and at the place that it names: FastAPI hands
    /// both on, and so clients have seen them.
    struct PythonJSONError: Equatable {
        let message: StaticString
        /// In Unicode scalars from the start.
        let position: Int

        init(_ message: StaticString, at position: Int) {
            self.message = message
            self.position = position
        }

        /// For a text that Python would read and we do not.
        init(_ error: JSONParseError) {
            switch error.kind {
            case .duplicateMember: self.init("Duplicate property name", at: error.offset)
            case .depth, .tooManyValues, .tooManyMarks: self.init("Document too complex", at: error.offset)
            case .numberOutOfRange: self.init("Number out of range", at: error.offset)
            case .loneSurrogate: self.init("Invalid \\uXXXX escape", at: error.offset)
            case .unexpectedEnd, .syntax, .invalidUTF8, .byteOrderMark, .trailingBytes:
                self.init("Expecting value", at: error.offset)
            }
        }

        /// `nil` if Python would read the text, or it is nested too deeply to look.
        init?(in text: String) {
            var scanner = PythonJSONScanner(text)
            guard let error = scanner.document() else { return nil }
            self = error
        }

        static func == (left: PythonJSONError, right: PythonJSONError) -> Bool {
            left.position == right.position && left.message.description == right.message.description
        }
    }
}
