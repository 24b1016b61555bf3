import Testing
import Text

@testable import Identity

/// Which refreshes are put on record.
@Suite struct RefreshRecordingTests {
    private static let day: Int64 = 86_400_000

    private func refresh(
        at milliseconds: Int64, _ issue: RefreshSessionScript.Issue = .rotate, from address: String = "192.0.2.1",
        session: SessionID? = Sample.sessionID
    ) -> AuditEvent {
        let time = Timestamp(milliseconds: milliseconds)
        return AuditEvent(
            id: UUID(version7At: time, random: []), time: time, kind: .tokenRefreshed(issue), actor: .system, sessionID: session,
            address: address)
    }

    @Test func `of a day one refresh is recorded, and the next says how many there were between`() {
        var recording = RefreshRecording(.daily)
        let times = (0..<96).map { $0 * Self.day / 96 }
        #expect(times.compactMap { recording.admitted(refresh(at: $0)) }.map(\.time.milliseconds) == [0])
        let next = recording.admitted(refresh(at: Self.day))
        #expect(next?.detail["left_out"] == 95)
        #expect(recording.admitted(refresh(at: 2 * Self.day - 1)) == nil)
        #expect(recording.admitted(refresh(at: 2 * Self.day))?.detail["left_out"] == 1)
    }

    @Test func `another address is recorded at once`() {
        var recording = RefreshRecording(.daily)
        #expect(recording.admitted(refresh(at: 0)) != nil)
        #expect(recording.admitted(refresh(at: 1, from: "203.0.113.9")) != nil)
        #expect(recording.admitted(refresh(at: 2, from: "203.0.113.9")) == nil)
        #expect(recording.admitted(refresh(at: 3)) != nil)
    }

    @Test(arguments: RefreshRecording.Rule.allCases)
    func `what is out of the ordinary is always recorded`(_ rule: RefreshRecording.Rule) {
        var recording = RefreshRecording(rule)
        for _ in 1...3 {
            for issue in [RefreshSessionScript.Issue.replay, .recover] {
                #expect(recording.admitted(refresh(at: 0, issue)) != nil)
            }
            let reuse = AuditEvent(
                id: UUID(version7At: Sample.now, random: []), time: Sample.now, kind: .refreshReused, actor: .anonymous,
                sessionID: Sample.sessionID)
            #expect(recording.admitted(reuse) == reuse)
        }
    }

    @Test func `each means each, and none means none`() {
        var (each, none) = (RefreshRecording(.each), RefreshRecording(.none))
        for issue in [RefreshSessionScript.Issue.rotate, .keep] {
            #expect(each.admitted(refresh(at: 0, issue)) != nil && each.admitted(refresh(at: 0, issue)) != nil)
            #expect(none.admitted(refresh(at: 0, issue)) == nil)
        }
    }

    @Test func `memory is bounded, and who is forgotten is recorded again`() {
        var recording = RefreshRecording(.daily)
        func session(_ number: Int) -> SessionID {
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
            return SessionID(random: bytes)
        }
        for number in 0..<(2 * RefreshRecording.capacity + 1) {
            #expect(recording.admitted(refresh(at: 0, session: session(number))) != nil)
        }
        #expect(recording.admitted(refresh(at: 1, session: session(2 * RefreshRecording.capacity))) == nil)
        #expect(recording.admitted(refresh(at: 1, session: session(0))) != nil)
    }
}
