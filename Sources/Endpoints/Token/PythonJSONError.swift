import Text

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
            case .depth, .tooManyValues: self.init("Document too complex", at: error.offset)
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
