import Crypto
import Identity
import Testing
import Text

@Suite struct MasterKeyTests {
    private let bytes = Array(0..<32) as [UInt8]

    private func revealed(_ key: SymmetricKey) -> [UInt8] {
        key.withBytes { span in span.indices.map { span[$0] } }
    }

    @Test func `both spellings are one key`() throws {
        let keys = [Hex.encode(bytes), Hex.encode(bytes).uppercased(), Base64URL.encode(bytes)].map {
            MasterKey(SecretString($0))
        }
        let derived = try keys.map { revealed(try #require($0).derive(.sessionTokens)) }
        #expect(Set(derived).count == 1)
    }

    @Test(
        arguments: [
            "", "changeme", String(repeating: "a", count: 42), String(repeating: "a", count: 44),
            String(repeating: "0", count: 63),
            String(repeating: "0", count: 65), String(repeating: "g", count: 64), String(repeating: "0", count: 64),
            String(repeating: "f", count: 64), String(repeating: "A", count: 43),
            " AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9",
        ])
    func `anything but 32 bytes that look like a key is refused`(text: String) {
        #expect(MasterKey(SecretString(text)) == nil)
    }

    @Test func `every purpose has its own key, and none is the master key`() throws {
        let master = try #require(MasterKey(SecretString(Hex.encode(bytes))))
        let derived = try MasterKey.Purpose.allCases.map { revealed(try master.derive($0)) }
        #expect(Set(derived + [bytes]).count == MasterKey.Purpose.allCases.count + 1)
    }

    @Test func `derived keys are those of RFC 5869, for good`() throws {
        let master = try #require(MasterKey(SecretString(Hex.encode(bytes))))
        let expected = try HKDFSHA256.derive(
            from: try SymmetricKey(bytes), info: Array("kidoban/v1/session-tokens".utf8), byteCount: 32
        )
        #expect(revealed(try master.derive(.sessionTokens)) == revealed(expected))
    }

    @Test func `a master key does not print`() throws {
        let master = try #require(MasterKey(SecretString(Hex.encode(bytes))))
        #expect(!String(reflecting: master).contains("0, 1, 2"))
    }
}
