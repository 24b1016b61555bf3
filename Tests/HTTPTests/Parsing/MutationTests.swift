import Testing

@testable import HTTP

/// Requests with random damage, the same in every run. Whatever the damage does, cutting the input must not change what is
/// read, and nothing may crash.
@Suite struct MutationTests {
    /// SplitMix64, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            return word ^ word >> 31
        }
    }

    private static let interesting = [UInt8]("\r\n\t :;,=\"\\0159afAF%/?#*.[]-_\u{0}\u{b}\u{7f}".utf8) + [0x80, 0xff]

    @Test(arguments: 0..<20 as Range<UInt64>) func `damage is read the same way whole and cut`(seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<200 {
            var bytes = [UInt8](RequestParserTests.wholeRequests.joined().utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                damage(&bytes, &generator)
            }
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            let whole = Conversation(bytes)
            for cuts in [[cut], Array(bytes.indices)] {
                let other = Conversation(bytes, cuts: cuts)
                #expect(other.error == whole.error, "\(bytes)")
                #expect(other.requests.map(\.body) == whole.requests.map(\.body), "\(bytes)")
                #expect(other.requests.map(\.head.bytes) == whole.requests.map(\.head.bytes), "\(bytes)")
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ generator: inout Generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let byte = Self.interesting.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        case 2: bytes.remove(at: place)
        default:
            let end = Int.random(in: place...min(place + 40, bytes.count), using: &generator)
            bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
        }
    }
}
