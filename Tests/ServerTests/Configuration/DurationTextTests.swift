import Testing

@testable import Server

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0s", Duration.zero, "0s"), ("500ms", .milliseconds(500), "500ms"), ("1000ms", .seconds(1), "1s"),
        ("90s", .seconds(90), "90s"), ("120s", .seconds(120), "2m"), ("24h", .seconds(86_400), "1d"),
        ("36h", .seconds(129_600), "36h"), ("90d", .seconds(7_776_000), "90d"), ("007s", .seconds(7), "7s"),
    ])
    func `a number and a unit are a duration`(_ text: String, _ duration: Duration, _ rendered: String) throws {
        #expect(try DurationText.parse(text) == duration)
        #expect(DurationText.render(duration) == rendered)
        #expect(try DurationText.parse(rendered) == duration)
    }

    @Test(arguments: ["", "s", "ms", "1 s", "1S", "1sec", "1h30m", "-1s", "1.5h", " 1s", "1s\n", "١s", "1w"])
    func `anything else is not`(_ text: String) {
        #expect(throws: SettingRefusal("is not a duration")) { try DurationText.parse(text) }
    }

    @Test func `a number without a unit says what it lacks`() {
        #expect(throws: SettingRefusal("has no unit, which is ms, s, m, h or d")) { try DurationText.parse("60") }
    }

    @Test(arguments: ["9223372036854775807d", "99999999999999999999ms", "9223372036854775807ms"])
    func `more than can be counted is the most that can`(_ text: String) throws {
        #expect(try DurationText.parse(text) == .milliseconds(Int64.max))
    }
}
