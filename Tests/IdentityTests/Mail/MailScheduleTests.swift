import Testing
import Text

@testable import Identity

@Suite struct MailScheduleTests {
    @Test func `the pause doubles up to the longest, and half of it is chance`() {
        let longest = Duration.seconds(900)
        let pauses = (1...8).map { MailSchedule.pause(afterAttempts: $0, longest: longest, chance: 255) }
        #expect(pauses == [30, 60, 120, 240, 480, 900, 900, 900].map { .seconds($0) })
        for attempts in 1...8 {
            let least = MailSchedule.pause(afterAttempts: attempts, longest: longest, chance: 0)
            #expect(least == pauses[attempts - 1] / 2)
        }
        #expect(MailSchedule.pause(afterAttempts: .max, longest: longest, chance: 255) == longest)
        #expect(MailSchedule.pause(afterAttempts: 0, longest: longest, chance: 255) == .seconds(30))
        #expect(MailSchedule.pause(afterAttempts: 1, longest: .seconds(1), chance: 255) == .seconds(1))
    }

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

    @Test func `a mail server that is down is left alone for longer and longer, five minutes at most`() {
        var state = MailServerState()
        var pauses: [Duration] = []
        for _ in 1...8 {
            _ = state.failed(.timedOut, at: Sample.now, chance: 255)
            let seconds = (0...400).first { !state.rests(at: Sample.now.adding(.seconds($0))) }
            pauses.append(.seconds(seconds ?? .max))
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300, 300].map { .seconds($0) })
    }
}
