extension Timestamp {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The IMF-fixdate of RFC 9110 §5.6.7, `Sun, 06 Nov 1994 08:49:37 GMT`, for years 0 to 9999.
    package var httpDate: String {
        let (day, time) = dayAndTime
        let date = CivilDate(daysSinceEpoch: day)
        // 1 January 1970 was a Thursday.
        let weekday = ((day + 4) % 7 + 7) % 7
        var output = [UInt8](Self.weekdays[weekday].utf8)
        output.append(contentsOf: ", ".utf8)
        output.append(date.day, width: 2)
        output.append(contentsOf: " \(Self.months[date.month - 1]) ".utf8)
        output.append(abs(date.year), width: 4)
        output.append(UInt8(ascii: " "))
        output.append(timeOfDay: time / 1000)
        output.append(contentsOf: " GMT".utf8)
        return String(decoding: output, as: UTF8.self)
    }
}
