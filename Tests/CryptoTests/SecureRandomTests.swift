import Crypto
import Testing

@Suite struct SecureRandomTests {
    @Test(arguments: [0, 1, 16, 4096]) func `as many bytes come as were asked for`(count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
    }

    @Test func `two draws never agree`() {
        #expect(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count == 1000)
    }

    @Test func `no byte is handed out twice, whatever the lengths`() async {
        let draws = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { SecureRandom.bytes(8 + $0 % 40) } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(draws.map { Array($0.prefix(8)) }).count == draws.count)
        #expect(Set(draws.map { Array($0.suffix(8)) }).count == draws.count)
        let short = draws.filter { $0.count >= 16 }
        #expect(Set(short.flatMap { [Array($0.prefix(8)), Array($0.suffix(8))] }).count == 2 * short.count)
    }
}
