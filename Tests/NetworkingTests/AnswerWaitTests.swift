import Testing

@testable import Networking

@Suite struct AnswerWaitTests {
    private static let far = AnswerWait.window * 5

    /// How many of `count` questions are waited for, to a server that answers after so many nanoseconds.
    private func waits(_ wait: inout AnswerWait, _ count: Int, answers time: UInt64, alone: Bool = true) -> Int {
        var waits = 0
        for _ in 0..<count where wait.isWorthwhile(alone: alone) {
            waits += 1
            if time > AnswerWait.window { wait.missed() } else if alone { wait.answered(after: time) }
        }
        return waits
    }

    @Test func `a server nearby is waited for each time`() {
        var wait = AnswerWait()
        #expect(waits(&wait, 10_000, answers: 40_000) == 10_000)
        #expect(waits(&wait, 10_000, answers: AnswerWait.window) == 10_000)
    }

    @Test func `a server further away is not waited for, but for a trial now and then`() {
        var wait = AnswerWait()
        #expect(waits(&wait, 10, answers: Self.far) < 10)
        #expect(waits(&wait, 12_800, answers: Self.far) <= 100)
    }

    @Test func `what is asked while other answers are awaited is no trial`() {
        var wait = AnswerWait()
        _ = waits(&wait, 20, answers: Self.far)
        #expect(waits(&wait, 10_000, answers: 1000, alone: false) == 0)
    }

    @Test func `a server that has come nearer is waited for again`() {
        var wait = AnswerWait()
        _ = waits(&wait, 10_000, answers: Self.far)
        _ = waits(&wait, 10_000, answers: 40_000)
        #expect(waits(&wait, 100, answers: 40_000) == 100)
    }

    @Test func `one slow answer among many changes nothing`() {
        var wait = AnswerWait()
        for _ in 0..<100 {
            #expect(waits(&wait, 50, answers: 40_000) == 50)
            #expect(waits(&wait, 1, answers: Self.far) == 1)
        }
    }
}
