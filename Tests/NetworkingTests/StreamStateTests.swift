import Testing

@testable import Networking

/// What happens to a stream, as a script: no socket, no loop, no clock.
@Suite struct StreamStateTests {
    private typealias State = StreamState<String>

    private static let now = Instant(nanoseconds: 1_000_000_000)

    private static func at(_ milliseconds: Int) -> Instant { now + .milliseconds(milliseconds) }

    // MARK: Reading

    @Test func `a reader waits for an edge once a read would block`() {
        var state = State()
        expect(state.mayRead)
        expect(state.awaitInput("r") == .goesOn)
        state.readWouldBlock()
        expect(!state.mayRead)
        expect(state.awaitInput("r") == .waits(alarm: nil))
        expect(state.readable(isLast: false) == "r")
        expect(state.mayRead)
        // It is told once.
        expect(state.readable(isLast: false) == nil)
    }

    @Test func `an accepted connection says by its first edge whether there is something`() {
        var state = State(isEmpty: true)
        expect(!state.mayRead)
        expect(state.awaitInput("r") == .waits(alarm: nil))
        expect(state.readable(isLast: false) == "r")
    }

    @Test func `an edge that comes before anybody waits is not missed`() {
        var state = State(isEmpty: true)
        expect(state.readable(isLast: false) == nil)
        expect(state.awaitInput("r") == .goesOn)
    }

    @Test func `a read that has brought all there was waits for the next edge, one that has not goes on`() {
        var state = State()
        state.read(isAll: false)
        expect(state.mayRead)
        state.read(isAll: true)
        expect(!state.mayRead)
    }

    @Test func `once the peer has said its last, reading goes on to the end without an edge`() {
        var state = State(isEmpty: true)
        _ = state.readable(isLast: true)
        for _ in 0..<3 {
            state.read(isAll: true)
            expect(state.mayRead)
            expect(state.awaitInput("r") == .goesOn)
        }
        // A later edge that speaks of writing only takes nothing of that back.
        _ = state.readable(isLast: false)
        state.read(isAll: true)
        expect(state.mayRead)
    }

    @Test func `an end that was none, as a read shows, is waited for again`() {
        var state = State()
        _ = state.readable(isLast: true)
        state.readWouldBlock()
        expect(state.awaitInput("r") == .waits(alarm: nil))
        expect(state.readable(isLast: true) == "r")
    }

    // MARK: Writing

    @Test func `a writer is told after each attempt to send, full or not`() {
        var state = State()
        state.writeWouldBlock()
        expect(!state.mayWrite)
        expect(state.awaitOutput("w") == .waits(alarm: nil))
        state.writable()
        expect(state.mayWrite)
        expect(state.wrote() == "w")
        expect(state.wrote() == nil)
    }

    @Test func `a connection that is being made takes nothing before its first edge`() {
        var state = State()
        state.connects()
        expect(!state.mayWrite)
        expect(state.setDeadline(Self.at(10)) == Self.at(10))
        expect(state.awaitOutput("connect") == .waits(alarm: nil))
        guard case .timedOut(let woken) = state.alarmFired(at: Self.at(10)) else { Issue.record("it still waits"); return }
        expect(woken.writer == "connect" && woken.reader == nil)
        expect(state.problem == nil)
    }

    @Test func `a half-closed peer is still written to`() {
        var state = State()
        _ = state.readable(isLast: true)
        expect(state.mayWrite)
        state.writeWouldBlock()
        expect(state.awaitOutput("w") == .waits(alarm: nil))
        state.writable()
        expect(state.wrote() == "w")
        expect(state.problem == nil)
    }

    // MARK: Ends

    @Test func `a failure tells reader and writer, once, and stays`() {
        var state = State(isEmpty: true)
        state.writeWouldBlock()
        _ = state.awaitInput("r")
        _ = state.awaitOutput("w")
        let error = StreamError.system(SystemError("send", code: 32))
        let woken = state.failed(error)
        expect(woken?.reader == "r" && woken?.writer == "w")
        expect(state.failed(.timedOut) == nil)
        expect(!state.isOpen && !state.isClosed)
        expect(state.problem == error)
        expect(state.awaitInput("r") == .goesOn)
        expect(state.awaitOutput("w") == .goesOn)
    }

    @Test func `closing tells whoever waits, and what comes afterwards changes nothing`() {
        var state = State(isEmpty: true)
        _ = state.awaitInput("r")
        let woken = state.close()
        expect(woken?.reader == "r" && woken?.writer == nil)
        expect(state.close() == nil)
        expect(state.failed(.timedOut) == nil)
        expect(state.readable(isLast: true) == nil)
        expect(state.isClosed)
        expect(state.problem == .closed)
    }

    @Test func `a broken stream can be closed, and is closed then`() {
        var state = State()
        _ = state.failed(.timedOut)
        expect(state.close() != nil)
        expect(state.problem == .closed)
    }

    // MARK: Deadlines

    @Test func `one timer serves a deadline that moves on, and is set again when it fires early`() {
        var state = State(isEmpty: true)
        expect(state.setDeadline(Self.at(10)) == Self.at(10))
        for time in [20, 30, 40] { expect(state.setDeadline(Self.at(time)) == nil) }
        expect(state.awaitInput("r") == .waits(alarm: nil))
        guard case .again(Self.at(40)) = state.alarmFired(at: Self.at(10)) else { Issue.record("not set again"); return }
        guard case .timedOut(let woken) = state.alarmFired(at: Self.at(40)) else { Issue.record("it still waits"); return }
        expect(woken.reader == "r")
        expect(state.isOverdue(at: Self.at(40)) && !state.isOverdue(at: Self.at(39)))
    }

    @Test func `a deadline that moves nearer sets the timer anew`() {
        var state = State()
        expect(state.setDeadline(Self.at(100)) == Self.at(100))
        expect(state.setDeadline(Self.at(50)) == Self.at(50))
        expect(state.setDeadline(Self.at(50)) == nil)
    }

    @Test func `without a deadline the timer that still fires tells nobody`() {
        var state = State(isEmpty: true)
        _ = state.setDeadline(Self.at(10))
        expect(state.setDeadline(nil) == nil)
        _ = state.awaitInput("r")
        guard case .nothing = state.alarmFired(at: Self.at(10)) else { Issue.record("somebody was told"); return }
        expect(state.readable(isLast: false) == "r")
        expect(!state.isOverdue(at: Self.at(1000)))
    }

    @Test func `who waits after the deadline has passed is told by a timer that fires at once`() {
        var state = State(isEmpty: true)
        _ = state.setDeadline(Self.at(10))
        _ = state.alarmFired(at: Self.at(10))
        expect(state.awaitInput("r") == .waits(alarm: Self.at(10)))
        guard case .timedOut(let woken) = state.alarmFired(at: Self.at(11)) else { Issue.record("it still waits"); return }
        expect(woken.reader == "r")
        // The stream is as good as before.
        expect(state.isOpen)
        expect(state.setDeadline(Self.at(500)) == Self.at(500))
    }

    @Test func `a closed stream sets no timer`() {
        var state = State()
        _ = state.close()
        expect(state.setDeadline(Self.at(10)) == nil)
    }
}

extension StreamState {
    /// Why the stream cannot go on.
    fileprivate var problem: StreamError? {
        do throws(StreamError) {
            try checkOpen()
            return nil
        } catch {
            return error
        }
    }
}
