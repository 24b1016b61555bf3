import Crypto
import Testing

@Suite struct DigestTests {
    private let bytes = [UInt8](0..<32)

    @Test func `bytes and hexadecimal digits keep their order`() throws {
        let digest = try #require(Digest(bytes))
        #expect(digest.bytes == bytes)
        #expect(digest.hex == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect("\(digest)" == digest.hex)
    }

    @Test(arguments: [0, 31, 33]) func `any other length is no digest`(count: Int) {
        #expect(Digest([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func `one different bit anywhere is a different digest`() throws {
        let digest = try #require(Digest(bytes))
        #expect(digest.matches(digest))
        for bit in 0..<256 {
            let other = try #require(Digest(flipping(bit: bit, of: bytes)))
            #expect(!digest.matches(other))
            #expect(digest != other)
        }
    }

    @Test func `equal digests find each other in a dictionary`() throws {
        let table = [SHA256.hash("token"): 1]
        #expect(table[SHA256.hash("token")] == 1)
        #expect(table[SHA256.hash("Token")] == nil)
    }
}
