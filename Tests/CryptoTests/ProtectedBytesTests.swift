import Crypto
import Testing

@Suite struct ProtectedBytesTests {
    @Test func `the bytes come out as they went in`() {
        let secret = ProtectedBytes([1, 2, 3])
        #expect(secret.count == 3)
        #expect(secret.revealedBytes == [1, 2, 3])
        #expect(secret.withBytes { $0.count } == 3)
        #expect(ProtectedBytes([]).revealedBytes.isEmpty)
    }

    @Test func `the bytes never print`() {
        let secret = ProtectedBytes([77, 77, 77])
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("77"))
            #expect(text.contains("‹redacted›"))
        }
    }
}
