package import Text

/// The value of a log field. There is no case for secrets: their types print as `‹redacted›`.
package enum LogValue: Equatable, Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    /// Written in milliseconds, as a number.
    case duration(Duration)
    /// Written in ISO 8601.
    case time(Timestamp)

    package static func integer(_ value: Int) -> LogValue {
        .integer(Int64(value))
    }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    package init(floatLiteral value: Double) {
        self = .double(value)
    }

    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension Duration {
    /// With a fraction, for people and graphs.
    var inMilliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
    }
}
