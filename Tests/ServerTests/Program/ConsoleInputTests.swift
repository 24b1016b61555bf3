import Synchronization
import Testing
import Text

@testable import Server

@Suite struct ConsoleInputTests {
    private func typed(_ text: String) -> (steps: [HiddenLine.Step], text: String?) {
        var line = HiddenLine()
        let steps = text.utf8.map { line.take($0) }
        return (steps, line.text)
    }

    /// A terminal at which these lines are typed, one after another.
    static func terminal(_ lines: String?...) -> ConsoleInput {
        let rest = Mutex(lines[...])
        let next: @Sendable (String) -> String? = { _ in rest.withLock { $0.popFirst() ?? nil } }
        return ConsoleInput(isTerminal: true, read: { nil }, ask: next, askHidden: next)
    }

    /// An input that has one line.
    static func file(_ line: String?) -> ConsoleInput {
        ConsoleInput(isTerminal: false, read: { line }, ask: { _ in nil }, askHidden: { _ in nil })
    }

    @Test func `a hidden line ends with the return key`() {
        #expect(typed("abc\r").steps == [.more, .more, .more, .done])
        #expect(typed("abc\n").text == "abc")
        #expect(typed("ab\u{4}").steps.last == .done)
    }

    @Test func `a hidden line can be mended and called off`() {
        #expect(typed("ab\u{7F}c").text == "ac")
        #expect(typed("aé\u{8}").text == "a")
        #expect(typed("\u{7F}a").text == "a")
        #expect(typed("abc\u{15}d").text == "d")
        #expect(typed("ab\u{3}").steps.last == .calledOff)
        #expect(typed("\u{4}").steps == [.calledOff])
    }

    @Test func `a hidden line is bounded`() {
        let longest = String(repeating: "a", count: ConsoleInput.maximumLength)
        #expect(typed(longest).steps.last == .more)
        #expect(typed(longest + "a").steps.last == .calledOff)
    }

    @Test func `a password is typed twice at a terminal`() throws {
        #expect(try Self.terminal("secret", "secret").newPassword().revealedText == "secret")
        #expect(throws: ConsoleInput.PasswordFailure.differ) { try Self.terminal("secret", "Secret").newPassword() }
        #expect(throws: ConsoleInput.PasswordFailure.calledOff) { try Self.terminal("secret", nil).newPassword() }
    }

    @Test func `a password is one line of the input otherwise`() throws {
        #expect(try Self.file("secret").newPassword().revealedText == "secret")
        #expect(throws: ConsoleInput.PasswordFailure.missing) { try Self.file("").newPassword() }
        #expect(throws: ConsoleInput.PasswordFailure.missing) { try Self.file(nil).newPassword() }
    }

    @Test(arguments: [("y", true), ("Yes", true), ("", false), ("n", false), ("yy", false)])
    func `only yes is yes`(_ answer: String, _ isYes: Bool) {
        #expect(Self.terminal(answer).confirms("?") == isYes)
        #expect(!Self.file(answer).confirms("?"))
    }
}
