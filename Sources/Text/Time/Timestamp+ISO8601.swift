extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with three fraction digits, `2025-11-23T04:05:06.789Z`: byte for byte what ECMAScript's `toISOString`
    /// makes. Years outside 0 to 9999 take its expanded form, a sign and six digits.
    package var iso8601: String {
        String(decoding: iso8601Bytes, as: UTF8.self)
    }

    /// The same as ASCII bytes, for callers that build byte buffers.
    package var iso8601Bytes: [UInt8] {
        let (day, time) = dayAndTime
        let date = CivilDate(daysSinceEpoch: day)
        var output: [UInt8] = []
        output.reserveCapacity(27)
        if (0...9999).contains(date.year) {
            output.append(date.year, width: 4)
        } else {
            output.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
            output.append(abs(date.year), width: 6)
        }
        output.append(UInt8(ascii: "-"))
        output.append(date.month, width: 2)
        output.append(UInt8(ascii: "-"))
        output.append(date.day, width: 2)
        output.append(UInt8(ascii: "T"))
        output.append(timeOfDay: time / 1000)
        output.append(UInt8(ascii: "."))
        output.append(time % 1000, width: 3)
        output.append(UInt8(ascii: "Z"))
        return output
    }

    package var description: String {
        iso8601
    }

    /// Reads exactly what `iso8601` writes for the years 0 to 9999, the fraction being optional (one to nine digits, cut to
    /// milliseconds). Upper case `T` and `Z` only; offsets, leap seconds and days that do not exist are refused.
    package init?(iso8601 text: some StringProtocol) {
        let bytes = [UInt8](text.utf8)
        guard bytes.count >= 20, bytes.count <= 30, bytes.count != 21, bytes.last == UInt8(ascii: "Z"),
            let year = bytes.number(0..<4), bytes[4] == UInt8(ascii: "-"),
            let month = bytes.number(5..<7), bytes[7] == UInt8(ascii: "-"),
            let day = bytes.number(8..<10), bytes[10] == UInt8(ascii: "T"),
            let hour = bytes.number(11..<13), hour < 24, bytes[13] == UInt8(ascii: ":"),
            let minute = bytes.number(14..<16), minute < 60, bytes[16] == UInt8(ascii: ":"),
            let second = bytes.number(17..<19), second < 60,
            let date = CivilDate(year: year, month: month, day: day),
            let fraction = Self.milliseconds(ofFraction: bytes[19..<(bytes.count - 1)])
        else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
        self.init(milliseconds: Int64(seconds * 1000 + fraction))
    }

    private static func milliseconds(ofFraction text: ArraySlice<UInt8>) -> Int? {
        guard let point = text.first else { return 0 }
        let digits = Array(text.dropFirst())
        guard point == UInt8(ascii: "."), let number = digits.number(0..<digits.count) else { return nil }
        var value = number
        var width = digits.count
        while width > 3 {
            value /= 10
            width -= 1
        }
        while width < 3 {
            value *= 10
            width += 1
        }
        return value
    }
}
