import Crypto
import JOSE
import Testing
import Text

@Suite struct SigningKeyPEMTests {
    private static func pem(_ key: SigningKey, lineEnd: String = "\n") throws -> String {
        let text = Base64.encode(try key.exportPKCS8().revealedBytes)
        let lines = stride(from: 0, to: text.utf8.count, by: 64).map { start in
            String(text.dropFirst(start).prefix(64))
        }
        return (["-----BEGIN PRIVATE KEY-----"] + lines + ["-----END PRIVATE KEY-----"]).joined(separator: lineEnd)
    }

    private static func read(_ text: String) throws -> SigningKey {
        try SigningKey(pem: SecretString(text))
    }

    @Test(arguments: ["\n", "\r\n"]) func `a key in PEM is read, whatever the line ends, with empty lines around it`(
        lineEnd: String
    ) throws {
        let key = try SigningKey.generate(.es256)
        let text = try Self.pem(key, lineEnd: lineEnd)
        for written in [text, text + lineEnd, lineEnd + text + lineEnd + lineEnd] {
            #expect(try Self.read(written).publicKey.components == key.publicKey.components)
        }
    }

    @Test func `anything but one whole unencrypted key is refused`() throws {
        let text = try Self.pem(try SigningKey.generate(.es256))
        for length in stride(from: 0, to: text.utf8.count, by: 7) {
            #expect(throws: CryptoError.self) { try Self.read(String(text.prefix(length))) }
        }
        let wrong = [
            text.replacing("PRIVATE", with: "EC PRIVATE"), text.replacing("PRIVATE", with: "ENCRYPTED PRIVATE"),
            text + "\n" + text, text + "\nx", "x\n" + text, " " + text, text + " ",
            text.replacing("\n-----END", with: "A\n-----END"),
        ]
        for text in wrong { #expect(throws: CryptoError.self) { try Self.read(text) } }
    }
}
