import Testing

@testable import Networking

@Suite("Instant and SystemError")
struct InstantTests {
    @Test func `instants are compared, moved and subtracted`() {
        let start = Instant(nanoseconds: 1000)
        let end = start + .microseconds(2)
        #expect(end == Instant(nanoseconds: 3000))
        #expect(start < end)
        #expect(end.since(start) == .microseconds(2))
        #expect(start.since(end) == .zero)
        #expect(start + .seconds(-1) == start)
    }

    @Test func `the clock does not go back`() {
        let instants = (0..<1000).map { _ in Instant.now() }
        #expect(instants == instants.sorted())
    }

    @Test func `a duration is clamped to what fits`() {
        #expect(Duration.milliseconds(1500).wholeNanoseconds == 1_500_000_000)
        #expect(Duration.milliseconds(-1).wholeNanoseconds == 0)
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == 1 << 62)
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 999_999_999).wholeNanoseconds == 0)
    }

    @Test func `an error names its call and what the system says`() {
        #expect("\(SystemError("recv", code: 104))" == "recv: Connection reset by peer (104)")
        #expect("\(SystemError("no system call at all", code: 0))" == "no system call at all")
    }
}
