import Networking
import Testing

@testable import Identity

extension CatchUpTurns {
    fileprivate mutating func take(after pause: Duration = .zero) -> Reader? {
        next(at: Instant(nanoseconds: 0) + pause)?.reader
    }
}

@Suite struct CatchUpTurnsTests {
    private let start = Instant(nanoseconds: 0)

    @Test func `two read at once, in the order they came`() {
        var turns = CatchUpTurns<Int>()
        for number in 0..<100 { turns.wait(number, of: "backend", at: start) }
        #expect(turns.take() == 0)
        for number in 1..<100 {
            #expect(turns.take() == number)
            #expect(turns.take() == nil)
            turns.ended("backend")
        }
        turns.ended("backend")
        #expect(turns.take() == nil)
    }

    @Test func `a client that has many waiting leaves one of the places to others`() {
        var turns = CatchUpTurns<String>()
        for number in 0..<100 { turns.wait("many \(number)", of: "many", at: start) }
        #expect(turns.take() == "many 0")
        #expect(turns.take() == "many 1")
        for number in 0..<3 { turns.wait("few \(number)", of: "few", at: start) }
        for number in 0..<3 {
            turns.ended(number == 0 ? "many" : "few")
            #expect(turns.take() == "few \(number)")
            #expect(turns.take() == nil)
        }
        turns.ended("few")
        #expect(turns.take() == nil)
        // When no others have come for a while, it has both.
        #expect(turns.take(after: .seconds(60)) == "many 2")
    }
}
