import Crypto
import Testing

@Suite struct ConstantTimeTests {
    @Test func `equal bytes are equal and any difference counts`() {
        let bytes = [UInt8](0..<40)
        #expect(ConstantTime.equal(bytes, bytes))
        #expect(ConstantTime.equal([], []))
        for bit in 0..<320 {
            #expect(!ConstantTime.equal(bytes, flipping(bit: bit, of: bytes)))
        }
    }

    @Test func `a prefix is not equal`() {
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
