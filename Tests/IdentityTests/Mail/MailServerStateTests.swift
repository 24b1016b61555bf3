import Testing
import Text

@testable import Identity

@Suite struct MailServerStateTests {
    @Test func `trouble is news once for each kind, and so is its end`() {
        var state = MailServerState()
        let now = Sample.now
        #expect(state.isUp == nil && !state.rests(at: now))
        var news = [state.answered()]
        #expect(state.isUp == true)
        for trouble in [MailFailure.Trouble.connection("a"), .connection("b"), .authentication("c")] {
            news.append(state.failed(trouble, at: now, chance: 255))
        }
        #expect(state.isUp == false)
        news += [state.answered(), state.answered()]
        #expect(news == [false, true, false, true, true, false])
    }

    @Test func `a mail server that is down is left alone for longer and longer, a minute at most`() {
        var state = MailServerState()
        var pauses: [Duration] = []
        for _ in 1...8 {
            _ = state.failed(.timedOut, at: Sample.now, chance: 255)
            let seconds = (0...400).first { !state.rests(at: Sample.now.adding(.seconds($0))) }
            pauses.append(.seconds(seconds ?? .max))
        }
        #expect(pauses == [5, 10, 20, 40, 60, 60, 60, 60].map { .seconds($0) })
    }
}
