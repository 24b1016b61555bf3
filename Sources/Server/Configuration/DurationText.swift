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
