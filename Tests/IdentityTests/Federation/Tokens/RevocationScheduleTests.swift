import Identity
import Testing

@Suite struct RevocationScheduleTests {
    @Test func `pauses grow from seconds to six hours and end after twelve attempts`() throws {
        let pauses = (1...13).map { RevocationSchedule.pause(afterAttempts: $0, chance: 255) }
        let expected: [Int?] = [10, 30, 90, 270, 810, 2430, 7290, 21600, 21600, 21600, 21600, nil, nil]
        #expect(pauses == expected.map { $0.map { .seconds($0) } })
        let total = pauses.compactMap(\.self).reduce(.zero, +)
        #expect(total > .seconds(24 * 3600) && total < .seconds(48 * 3600))
    }

    @Test func `chance halves a pause at most`() throws {
        for attempts in 1..<12 {
            let longest = try #require(RevocationSchedule.pause(afterAttempts: attempts, chance: 255))
            #expect(RevocationSchedule.pause(afterAttempts: attempts, chance: 0) == longest / 2)
        }
    }
}
