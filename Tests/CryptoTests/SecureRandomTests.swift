import Crypto
import Testing

@Suite struct SecureRandomTests {
    @Test(arguments: [0, 1, 16, 4096]) func `as many bytes come as were asked for`(count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
    }

    @Test func `two draws never agree`() {
        #expect(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count == 1000)
    }
}
