import Crypto
import Testing

@Suite struct SymmetricKeyTests {
    @Test func `an empty key is refused`() {
        #expect(throws: CryptoError.invalidKey(.wrongLength)) { try SymmetricKey([]) }
    }

    @Test func `a key never prints`() throws {
        let key = try SymmetricKey(Array("hunter2".utf8))
        for text in ["\(key)", String(reflecting: key), "\([key])", "\(["key": key])"] {
            #expect(!text.contains("104"))
            #expect(!text.contains("hunter2"))
            #expect(text.contains("‹redacted›"))
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("104"))
    }

    @Test func `random keys differ and have the wanted length`() {
        let keys = (0..<50).map { _ in SymmetricKey.random(byteCount: 24) }
        #expect(keys.allSatisfy { $0.byteCount == 24 })
        #expect(Set(keys.map { key in key.withBytes { [UInt8](copying: $0) } }).count == 50)
    }
}
