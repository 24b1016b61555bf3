/// What is wrong with one field of a request. Every API renders it in its own error format; the value is never kept.
package struct FieldProblem: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case missing(expected: JSONType)
        case wrongType(expected: JSONType, received: JSONType)
        /// A number that has a fraction or does not fit in 64 bits, where an integer is due.
        case notInteger
        /// Below an inclusive minimum: characters of a string, elements of an array, or the number itself.
        case tooSmall(JSONType, minimum: Int)
        /// Above an inclusive maximum, counted in the same way.
        case tooBig(JSONType, maximum: Int)
        /// A string that is none of the allowed ones.
        case notAllowed(options: [String])
        /// A string that is not of the named format: `email`, `url`, `uuid`, `datetime`.
        case invalidFormat(String)
        /// A rule of one API or concept, under a name that the API translates.
        case custom(code: String)
    }

    /// Member names and array indices from the outermost value to the field; empty for the document itself.
    package let path: [String]
    package let kind: Kind

    package init(path: [String], kind: Kind) {
        self.path = path
        self.kind = kind
    }
}
