/// How the text of a setting becomes a value, and how the value is shown.
struct SettingFormat<Value: Sendable>: Sendable {
    /// To follow "expected".
    let expectation: String
    let isSecret: Bool
    let acceptsEmpty: Bool
    let parse: @Sendable (String) throws(SettingRefusal) -> Value
    /// The value, and the text it was read from, as they may be shown: in one spelling, secrets redacted.
    let render: @Sendable (Value, String) -> String

    init(
        _ expectation: String, isSecret: Bool = false, acceptsEmpty: Bool = false,
        parse: @escaping @Sendable (String) throws(SettingRefusal) -> Value,
        render: @escaping @Sendable (Value, String) -> String
    ) {
        self.expectation = expectation
        self.isSecret = isSecret
        self.acceptsEmpty = acceptsEmpty
        self.parse = parse
        self.render = render
    }

    /// The same for a property that may be without a value.
    var optional: SettingFormat<Value?> {
        let (parse, render) = (parse, render)
        return SettingFormat<Value?>(
            expectation, isSecret: isSecret, acceptsEmpty: acceptsEmpty,
            parse: { text throws(SettingRefusal) in try parse(text) },
            render: { value, text in value.map { render($0, text) } ?? "" })
    }
}

extension SettingFormat where Value == Bool {
    static var flag: SettingFormat {
        SettingFormat(
            "true or false",
            parse: { text throws(SettingRefusal) in
                switch text {
                case "true": return true
                case "false": return false
                default: throw SettingRefusal("is neither true nor false")
                }
            },
            render: { value, _ in value.description })
    }
}

extension SettingFormat where Value: RawRepresentable, Value.RawValue == String {
    /// One of the values, by its raw value.
    static func choice(_ values: [Value]) -> SettingFormat {
        let names = values.map(\.rawValue)
        let expectation = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return SettingFormat(
            expectation,
            parse: { text throws(SettingRefusal) in
                guard let value = values.first(where: { $0.rawValue == text }) else {
                    throw SettingRefusal("is none of the possible values")
                }
                return value
            },
            render: { value, _ in value.rawValue })
    }
}

extension SettingFormat where Value == Int {
    /// A whole number.
    /// - Parameter unit: of what, for the documentation.
    static func count(_ bounds: ClosedRange<Int>, of unit: String? = nil) -> SettingFormat {
        let noun = "a whole number" + (unit.map { " of \($0)" } ?? "")
        return SettingFormat(
            "\(noun) from \(bounds.lowerBound) to \(bounds.upperBound)",
            parse: { text throws(SettingRefusal) in
                guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { throw SettingRefusal("is not a whole number") }
                return try bounds.checked(Int(text) ?? .max) { $0.description }
            },
            render: { value, _ in value.description })
    }

    /// A number of bytes.
    static func size(_ bounds: ClosedRange<Int>) -> SettingFormat {
        SettingFormat(
            "a size from \(SizeText.render(bounds.lowerBound)) to \(SizeText.render(bounds.upperBound))",
            parse: { text throws(SettingRefusal) in try bounds.checked(SizeText.parse(text), SizeText.render) },
            render: { value, _ in SizeText.render(value) })
    }
}

extension SettingFormat where Value == Duration {
    static func duration(_ bounds: ClosedRange<Duration>) -> SettingFormat {
        SettingFormat(
            "a duration from \(DurationText.render(bounds.lowerBound)) to \(DurationText.render(bounds.upperBound))",
            parse: { text throws(SettingRefusal) in try bounds.checked(DurationText.parse(text), DurationText.render) },
            render: { value, _ in DurationText.render(value) })
    }
}

extension ClosedRange {
    fileprivate func checked(_ value: Bound, _ render: (Bound) -> String) throws(SettingRefusal) -> Bound {
        guard value >= lowerBound else { throw SettingRefusal("is less than \(render(lowerBound))") }
        guard value <= upperBound else { throw SettingRefusal("is more than \(render(upperBound))") }
        return value
    }
}

/// Durations as people write them: a whole number and a unit, such as `500ms`, `30s`, `15m`, `24h` or `90d`.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// More than can be counted becomes the most that can.
    static func parse(_ text: String) throws(SettingRefusal) -> Duration {
        let (digits, suffix) = text.splitAfterDigits
        guard !digits.isEmpty else { throw SettingRefusal("is not a duration") }
        guard !suffix.isEmpty else { throw SettingRefusal("has no unit, which is ms, s, m, h or d") }
        guard let unit = units.first(where: { $0.suffix == suffix }) else { throw SettingRefusal("is not a duration") }
        let (milliseconds, overflow) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: unit.milliseconds)
        return .milliseconds(overflow ? .max : milliseconds)
    }

    /// In the largest unit that divides it. What is below a millisecond is cut off.
    static func render(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        for unit in units where milliseconds.isMultiple(of: unit.milliseconds) {
            return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
        }
        return "\(milliseconds)ms"
    }
}

/// Sizes as people write them: a number of bytes, or of `KiB` or `MiB`.
enum SizeText {
    private static let units: [(suffix: String, bytes: Int)] = [("MiB", 1024 * 1024), ("KiB", 1024), ("", 1)]

    /// More than can be counted becomes the most that can.
    static func parse(_ text: String) throws(SettingRefusal) -> Int {
        let (digits, suffix) = text.splitAfterDigits
        guard !digits.isEmpty, let unit = units.first(where: { $0.suffix == suffix }) else {
            throw SettingRefusal("is not a size, which is a number of bytes or ends in KiB or MiB")
        }
        let (bytes, overflow) = (Int(digits) ?? .max).multipliedReportingOverflow(by: unit.bytes)
        return overflow ? .max : bytes
    }

    /// In the largest unit that divides it.
    static func render(_ bytes: Int) -> String {
        for unit in units where bytes != 0 && bytes.isMultiple(of: unit.bytes) {
            return "\(bytes / unit.bytes)\(unit.suffix)"
        }
        return "\(bytes)"
    }
}

extension SettingFormat where Value == String {
    /// The path of a file.
    static var path: SettingFormat {
        SettingFormat(
            "the path of a file",
            parse: { text throws(SettingRefusal) in text },
            render: { value, _ in value.printable })
    }
}
