import Networking
import Testing

@Suite struct BackOffTests {
    @Test func `the pause doubles up to its upper bound`() {
        var backOff = BackOff(.milliseconds(100)...(.seconds(2)))
        let pauses = (0..<7).map { _ in backOff.failed(chance: 1) }
        #expect(pauses == [100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
    }

    @Test func `half of the pause is random`() {
        var backOff = BackOff(.milliseconds(100)...(.seconds(2)))
        #expect(backOff.failed(chance: 0) == .milliseconds(50))
        #expect(backOff.failed(chance: 0.5) == .milliseconds(150))
    }

    @Test func `a success begins anew`() {
        var backOff = BackOff(.milliseconds(100)...(.seconds(2)))
        for _ in 0..<200 { _ = backOff.failed(chance: 1) }
        #expect(backOff.failures == 200)
        backOff.succeeded()
        #expect(backOff.failed(chance: 1) == .milliseconds(100))
    }
}
