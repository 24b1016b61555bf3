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
