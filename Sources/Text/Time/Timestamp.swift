import Glibc

/// An instant of wall-clock time with a resolution of one millisecond.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since the epoch, rounded down: the `NumericDate` of RFC 7519 §2.
    package var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The system clock. Rules take the time as a parameter; only the composition of the program reads it here.
    package static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Later (or earlier) by a duration, cut to whole milliseconds; stops at the ends of the representable range.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let (result, resultOverflow) = milliseconds.addingReportingOverflow(sum)
        guard !overflow, !sumOverflow, !resultOverflow else { return Timestamp(milliseconds: seconds < 0 ? .min : .max) }
        return Timestamp(milliseconds: result)
    }

    /// The time that passed since an earlier instant; negative if that one is later.
    package func duration(since earlier: Timestamp) -> Duration {
        .milliseconds(milliseconds) - .milliseconds(earlier.milliseconds)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Days since the epoch and milliseconds of that day.
    var dayAndTime: (day: Int, milliseconds: Int) {
        let millisecondsPerDay = 86_400_000
        let (quotient, remainder) = Int(milliseconds).quotientAndRemainder(dividingBy: millisecondsPerDay)
        return remainder < 0 ? (quotient - 1, remainder + millisecondsPerDay) : (quotient, remainder)
    }
}

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
