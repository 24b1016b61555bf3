import Crypto
import Testing

@Suite("SHA-256, FIPS 180-4")
struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the published examples hold`(message: String, digest: String) {
        #expect(SHA256.hash(message).hex == digest)
        #expect(SHA256.hash(Array(message.utf8)).hex == digest)
        #expect(SHA256.hash(Array(message.utf8).span).hex == digest)
    }

    @Test func `a million times the letter a gives the published digest`() {
        let digest = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `a text that is not ASCII is hashed as UTF-8`() {
        #expect(SHA256.hash("木戸番") == SHA256.hash(Array("木戸番".utf8)))
    }

    @Test func `many tasks at once all get their own digest`() async {
        let messages = (0..<200).map { [UInt8](repeating: UInt8($0), count: $0) }
        let expected = messages.map { SHA256.hash($0).hex }
        let computed = await withTaskGroup(of: (Int, String).self) { group in
            for (index, message) in messages.enumerated() {
                group.addTask { (index, SHA256.hash(message).hex) }
            }
            return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect((0..<200).allSatisfy { computed[$0] == expected[$0] })
    }
}
