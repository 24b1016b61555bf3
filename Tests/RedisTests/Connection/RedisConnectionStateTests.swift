import Networking
import Testing

@testable import Redis

/// What happens to a connection, as a script: no server, no loop, no clock.
@Suite struct RedisConnectionStateTests {
    private typealias State = RedisConnectionState<String, Int>

    private static let start = Instant(nanoseconds: 1_000_000_000)

    private static func state(limit: Int = 4) -> State {
        State(limit: limit, commandDeadline: .seconds(2), leavingInterval: .seconds(1))
    }

    /// One that serves.
    private static func ready(limit: Int = 4, owesWrites: Bool = false) -> State {
        var state = state(limit: limit)
        _ = state.attemptBegins()
        _ = state.connected(owesWrites: owesWrites, at: start)
        return state
    }

    private static func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

    // MARK: Before there is a connection

    @Test func `before the first attempt commands fail and none waits`() {
        var state = Self.state()
        expect(state.send("a", at: Self.start) == .refused(.unavailable))
        let waits = state.commandsWait
        expect(!waits)
        guard case .goesOn = state.wait(1) else { Issue.record("it waits"); return }
    }

    @Test func `commands wait for the first attempt, and go on when it has succeeded`() {
        var state = Self.state()
        expect(state.attemptBegins())
        for waiter in 1...3 {
            guard case .waits = state.wait(waiter) else { Issue.record("it does not wait"); return }
        }
        expect(state.connected(owesWrites: false, at: Self.start) == [1, 2, 3])
        expect(state.isReady)
        expect(state.waitingCount == 0)
    }

    @Test func `no more wait than may be in flight`() {
        var state = Self.state(limit: 2)
        _ = state.attemptBegins()
        for waiter in 1...2 { _ = state.wait(waiter) }
        guard case .refused(.overloaded) = state.wait(3) else { Issue.record("it was not refused"); return }
        expect(state.attemptFailed() == [1, 2])
    }

    @Test func `an attempt that fails, or takes too long, lets nobody wait until one succeeds`() {
        var state = Self.state()
        _ = state.attemptBegins()
        _ = state.wait(1)
        expect(state.attemptFailed() == [1])
        // The attempt goes on behind, and the next one begins.
        expect(state.attemptFailed() == [])
        expect(state.attemptBegins())
        expect(!state.commandsWait)
        expect(state.send("a", at: Self.start) == .refused(.unavailable))
        expect(state.connected(owesWrites: false, at: Self.start) == [])
        expect(state.isReady)
    }

    @Test func `a connection that comes after the end is not wanted`() {
        var state = Self.state()
        _ = state.attemptBegins()
        _ = state.wait(1)
        let (waiting, failing) = state.close()
        expect(waiting == [1] && failing.isEmpty)
        expect(state.connected(owesWrites: false, at: Self.start) == nil)
        expect(state.attemptFailed() == [])
        expect(!state.attemptBegins())
        expect(state.send("a", at: Self.start) == .refused(.unavailable))
        guard case .closed = state.ended(.closed) else { Issue.record("it is not closed"); return }
    }

    // MARK: Commands and answers

    @Test func `answers go to the commands in their order`() {
        var state = Self.ready()
        expect(state.send("a", at: Self.at(0)) == .sendAlone(deadline: Self.at(2000)))
        expect(state.send("b", at: Self.at(5)) == .send)
        expect(state.send("batch", count: 2, at: Self.at(5)) == .send)
        expect(state.received(at: Self.at(10)) == .answers)
        expect(state.answered() == "a")
        expect(state.nextAnswer == .until(Self.at(2005)))
        expect([state.answered(), state.answered(), state.answered()] == ["b", "batch", "batch"])
        expect(state.nextAnswer == .none)
        expect(state.answered() == nil)
        expect(state.send("c", at: Self.at(20)) == .sendAlone(deadline: Self.at(2020)))
    }

    @Test func `no more are in flight than the limit, and a batch goes whole or not at all`() {
        var state = Self.ready(limit: 4)
        expect(state.send("a", count: 3, at: Self.start) == .sendAlone(deadline: Self.at(2000)))
        expect(state.send("b", count: 2, at: Self.start) == .refused(.overloaded))
        expect(state.inFlightCount == 3)
        expect(state.send("c", at: Self.start) == .send)
        expect(state.send("d", at: Self.start) == .refused(.overloaded))
        _ = state.answered()
        expect(state.send("d", at: Self.start) == .send)
    }

    @Test func `bytes that nobody has asked for are no answer`() {
        var state = Self.ready()
        expect(state.received(at: Self.start) == .unasked)
        _ = state.send("a", at: Self.start)
        _ = state.answered()
        expect(state.received(at: Self.start) == .unasked)
    }

    @Test func `an answer that is read after its deadline is not believed, and none behind it either`() {
        var state = Self.ready()
        _ = state.send("a", at: Self.at(0))
        _ = state.send("b", at: Self.at(1999))
        expect(state.received(at: Self.at(2000)) == .answers)
        expect(state.received(at: Self.at(2001)) == .late)
        guard case .broken(["a", "b"], .deadlineExceeded) = state.ended(.timedOut) else { Issue.record("they wait"); return }
        // What comes for them later comes on a connection that has gone.
        expect(state.answered() == nil)
        expect(state.inFlightCount == 0)
    }

    @Test(arguments: [StreamError.closed, .system(SystemError("recv", code: 104)), .tls("refused")])
    func `a connection that breaks fails what is in flight, and what comes next`(error: StreamError) {
        var state = Self.ready()
        _ = state.send("a", count: 2, at: Self.start)
        guard case .broken(["a", "a"], .unavailable) = state.ended(error) else { Issue.record("they wait"); return }
        expect(state.send("b", at: Self.start) == .refused(.unavailable))
        expect(state.attemptBegins())
        expect(state.commandsWait)
    }

    @Test func `the end of all fails what is in flight`() {
        var state = Self.ready()
        _ = state.send("a", at: Self.start)
        let (waiting, failing) = state.close()
        expect(waiting.isEmpty && failing == ["a"])
        let again = state.close()
        expect(again.waiting.isEmpty && again.failing.isEmpty)
    }

    // MARK: Roles and failover

    @Test(arguments: ["READONLY", "NOAUTH", "MOVED", "ASK", "UNBLOCKED"])
    func `a server that is not ours any more is left at once, with all that is in flight`(kind: String) {
        var state = Self.ready()
        _ = state.send("a", count: 2, at: Self.start)
        _ = state.answered()
        expect(state.refused(RedisRefusal(kind: kind), at: Self.start) == .close)
        guard case .broken(["a"], .unavailable) = state.ended(.closed) else { Issue.record("it waits"); return }
    }

    @Test(arguments: [
        "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "OOM", "MISCONF", "WRONGTYPE", "NOSCRIPT", "ERR", "",
    ])
    func `a server that cannot serve for now, or refuses a command, is kept`(kind: String) {
        var state = Self.ready()
        expect(state.refused(RedisRefusal(kind: kind), at: Self.at(60_000)) == .stay)
        expect(state.isReady)
    }

    @Test func `a primary without replicas is left once its answers have come, while new commands wait for the next`() {
        var state = Self.ready()
        _ = state.send("a", count: 2, at: Self.at(1500))
        _ = state.answered()
        expect(state.refused(.replicas, at: Self.at(1500)) == .stay)
        expect(state.send("b", at: Self.at(1500)) == .refused(.unavailable))
        guard case .waits = state.wait(7) else { Issue.record("it does not wait"); return }
        expect(state.nextAnswer == .until(Self.at(3500)))
        // The same is said again of the command that was in flight.
        expect(state.answered() == "a")
        expect(state.refused(.replicas, at: Self.at(1500)) == .stay)
        expect(state.nextAnswer == .close)
        guard case .left(let failing, _) = state.ended(.closed), failing.isEmpty else { Issue.record("not left"); return }
        expect(state.commandsWait)
        // The next attempt is on its way for those who wait.
        expect(state.attemptBegins())
        expect(state.connected(owesWrites: false, at: Self.at(1600)) == [7])
    }

    @Test func `a primary without replicas that owes nothing is left at once, and not over and over`() {
        var state = Self.ready()
        expect(state.refused(.replicas, at: Self.at(999)) == .stay)
        expect(state.isReady)
        expect(state.refused(.replicas, at: Self.at(1000)) == .close)
        _ = state.ended(.closed)
        _ = state.attemptBegins()
        _ = state.connected(owesWrites: false, at: Self.at(1010))
        // The address leads to the same server: it is made do with for a while.
        expect(state.refused(.replicas, at: Self.at(1500)) == .stay)
        expect(state.isReady)
    }

    @Test func `a left server that breaks, or says nothing more, fails what it owes and keeps nobody`() {
        for (error, failure) in [(StreamError.closed, RedisError.unavailable), (.timedOut, .deadlineExceeded)] {
            var state = Self.ready()
            _ = state.send("a", at: Self.at(1000))
            _ = state.refused(.replicas, at: Self.at(1000))
            _ = state.wait(1)
            guard case .left(["a"], failure) = state.ended(error) else { Issue.record("it waits"); return }
            expect(state.attemptFailed() == [1])
        }
    }

    @Test func `a left server that turns out not to be ours is closed before it has answered`() {
        var state = Self.ready()
        _ = state.send("a", at: Self.at(1000))
        _ = state.refused(.replicas, at: Self.at(1000))
        expect(state.refused(.role, at: Self.at(1000)) == .close)
    }

    @Test func `a refusal that is read when the connection has gone closes nothing`() {
        var state = Self.ready()
        _ = state.ended(.closed)
        for refusal in [RedisRefusal.role, .replicas, .service, .command] {
            expect(state.refused(refusal, at: Self.at(5000)) == .stay)
        }
        _ = state.attemptBegins()
        expect(state.refused(.role, at: Self.at(5000)) == .stay)
        expect(state.commandsWait)
    }

    @Test func `what is known of writes ends with the connection that it was known of`() {
        var state = Self.ready(owesWrites: true)
        expect(state.owesWrites && !state.refusesWrites)
        state.learned(refusesWrites: true)
        expect(state.refusesWrites)
        state.repeatedWrites()
        expect(!state.owesWrites)
        _ = state.ended(.closed)
        _ = state.attemptBegins()
        _ = state.connected(owesWrites: false, at: Self.at(100))
        expect(!state.refusesWrites && !state.owesWrites)
    }

    // MARK: Any order

    /// Every command gets one answer, whatever happens in whatever order, and who waits is let go once.
    @Test(arguments: 0..<200)
    func `whatever happens, nobody is forgotten and nobody is told twice`(seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        var state = Self.state(limit: 8)
        var sent: [String] = []
        var told: [String] = []
        var queued: [Int] = []
        var released: [Int] = []
        var now = Self.start
        for step in 0..<300 {
            now = now + .milliseconds(Int.random(in: 0...300, using: &random))
            switch Int.random(in: 0..<9, using: &random) {
            case 0: _ = state.attemptBegins()
            case 1: released += state.connected(owesWrites: false, at: now) ?? []
            case 2: released += state.attemptFailed()
            case 3, 4:
                let count = Int.random(in: 1...3, using: &random)
                if case .refused = state.send("\(step)", count: count, at: now) { break }
                sent += [String](repeating: "\(step)", count: count)
            case 5: if let receiver = state.answered() { told.append(receiver) }
            case 6: if case .waits = state.wait(step) { queued.append(step) }
            case 7: _ = state.refused(Bool.random(using: &random) ? .replicas : .role, at: now)
            default:
                switch state.ended(.closed) {
                case .closed: break
                case .left(let failing, _), .broken(let failing, _): told += failing
                }
            }
            expect(state.inFlightCount == sent.count - told.count)
            expect(state.inFlightCount <= 8 && state.waitingCount <= 8)
        }
        let (waiting, failing) = state.close()
        expect(told + failing == sent)
        expect(released + waiting == queued)
    }
}

/// A generator that repeats itself from a seed (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
