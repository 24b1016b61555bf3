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
