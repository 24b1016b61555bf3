/// Why a text is not acceptable JSON, and where. It never holds any of the text.
package struct JSONParseError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The text ended inside a value, or there was none.
        case unexpectedEnd
        /// The grammar of RFC 8259 allows no such byte here.
        case syntax
        /// Arrays and objects are nested deeper than allowed.
        case depth
        /// The document has more values than allowed, members and elements at all levels counted.
        case tooManyValues
        /// An object has two members of the same name (RFC 8259 §4 leaves the meaning open, so it is refused).
        case duplicateMember
        /// A string holds bytes that are not UTF-8 (RFC 8259 §8.1).
        case invalidUTF8
        /// A string has more combining marks in a row than `String.mostMarksInARow`.
        case tooManyMarks
        /// A `\u` escape is half of a surrogate pair (RFC 8259 §8.2).
        case loneSurrogate
        /// The text begins with a byte order mark (RFC 8259 §8.1).
        case byteOrderMark
        /// A number has no finite value in 64 bits, or more than 64 characters.
        case numberOutOfRange
        /// Something other than white space follows the value.
        case trailingBytes
    }

    package let kind: Kind
    /// Bytes before the place of the error.
    package let offset: Int

    package init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}
