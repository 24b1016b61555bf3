/// SQL text that is made of literals of the source only, so that no value can ever become part of it.
///
/// Texts may share pieces: `"SELECT \(columns) FROM users"`, where `columns` is `SQL` too. A `String` cannot be put in.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    package let text: String

    package init(stringLiteral literal: StaticString) {
        text = literal.description
    }

    package init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    /// Takes literals and other `SQL`, nothing else.
    package struct Interpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        package mutating func appendInterpolation(_ piece: SQL) {
            text += piece.text
        }
    }
}
