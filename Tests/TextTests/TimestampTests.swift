import Testing
import Text

@Suite struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_763_870_706_789, "2025-11-23T04:05:06.789Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
    ])
    func `an instant is written as ECMAScript writes it and read back`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
        (8_640_000_000_000_000, "+275760-09-13T00:00:00.000Z"), (-8_640_000_000_000_000, "-271821-04-20T00:00:00.000Z"),
    ])
    func `years beyond four digits take the expanded form`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
    }

    @Test(arguments: [Int64.min, Int64.max])
    func `the ends of the range can be written`(milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601.hasSuffix("Z"))
        #expect(Timestamp(milliseconds: milliseconds).httpDate.hasSuffix("GMT"))
    }

    @Test(arguments: [
        ("2025-11-23T04:05:06Z", 1_763_870_706_000), ("2025-11-23T04:05:06.7Z", 1_763_870_706_700),
        ("2025-11-23T04:05:06.78Z", 1_763_870_706_780), ("2025-11-23T04:05:06.7899Z", 1_763_870_706_789),
        ("2025-11-23T04:05:06.789999999Z", 1_763_870_706_789),
    ])
    func `the fraction may have none to nine digits`(text: String, milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "Z", "2025-11-23", "2025-11-23T04:05:06", "2025-11-23 04:05:06Z", "2025-11-23t04:05:06Z", "2025-11-23T04:05:06z",
        "2025-11-23T04:05:06.Z", "2025-11-23T04:05:06,789Z", "2025-11-23T04:05:06.7891234567Z", "2025-11-23T04:05:06+00:00",
        "2025-11-23T04:05:06.789+0Z", "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z", "2025-01-00T00:00:00Z",
        "2025-01-32T00:00:00Z",
        "2025-04-31T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-11-23T24:00:00Z", "2025-11-23T23:60:00Z",
        "2025-11-23T23:59:60Z", "+2025-1-23T04:05:06Z", "-001-01-01T00:00:00Z", "2025/11/23T04:05:06Z", "2025-11-23T04.05.06Z",
        "２025-11-23T04:05:06Z", " 2025-11-23T04:05:06Z", "2025-11-23T04:05:06ZZ", "2025-1-23T04:05:06.00Z",
    ])
    func `any other text is refused`(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test func `each prefix of an instant is refused`() {
        let text = "2025-11-23T04:05:06.789Z"
        for length in 0..<text.count { #expect(Timestamp(iso8601: text.prefix(length)) == nil) }
    }

    @Test func `every day of the four centuries of a cycle survives the way there and back`() {
        for day in Int64(-73_049)...73_048 {
            let instant = Timestamp(seconds: day * 86_400 + 86_399)
            #expect(Timestamp(iso8601: instant.iso8601) == instant)
        }
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        (1_763_870_706, "Sun, 23 Nov 2025 04:05:06 GMT"), (1_782_777_600, "Tue, 30 Jun 2026 00:00:00 GMT"),
    ])
    func `the HTTP date has the fixed form of RFC 9110 §5_6_7`(seconds: Int64, text: String) {
        #expect(Timestamp(seconds: seconds).httpDate == text)
    }

    @Test(arguments: [(0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2)])
    func `seconds are rounded down on both sides of 1970`(milliseconds: Int64, seconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
    }

    @Test func `durations are added and measured`() {
        let start = Timestamp(seconds: 1_000)
        #expect(start.adding(.seconds(60)).seconds == 1_060)
        #expect(start.adding(.milliseconds(-1)).milliseconds == 999_999)
        #expect(start.adding(.seconds(60)).duration(since: start) == .seconds(60))
        #expect(start < start.adding(.milliseconds(1)))
    }

    @Test func `arithmetic stops at the ends of the range`() {
        #expect(Timestamp(milliseconds: .max).adding(.seconds(1)).milliseconds == .max)
        #expect(Timestamp(milliseconds: .min).adding(.seconds(-1)).milliseconds == .min)
        #expect(Timestamp(seconds: 0).adding(.seconds(Int64.max)).milliseconds == .max)
        #expect(Timestamp(seconds: .max).milliseconds == .max)
        #expect(Timestamp(seconds: .min).milliseconds == .min)
    }

    @Test func `the clock stands in this century`() {
        #expect(Timestamp.now() > Timestamp(seconds: 1_700_000_000))
        #expect(Timestamp.now() < Timestamp(seconds: 4_102_444_800))
    }
}
