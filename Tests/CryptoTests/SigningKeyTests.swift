import Crypto
import Testing

@Suite struct SigningKeyTests {
    static let kinds: [SigningKey.Kind] = [.es256, .rs256()]
    private let message = Array("木戸番 lets people through".utf8)

    @Test(arguments: kinds) func `a signature verifies with the public half`(kind: SigningKey.Kind) throws {
        let key = try SigningKey.generate(kind)
        let signature = try key.sign(message)
        #expect(key.publicKey.verify(signature, over: message, algorithm: key.algorithm))
        #expect(try key.publicKey.verify(key.sign([]), over: [], algorithm: key.algorithm))
    }

    @Test func `each kind has its algorithm and its signature length`() throws {
        let elliptic = try SigningKey.generate(.es256)
        #expect(elliptic.algorithm == .es256)
        #expect(try elliptic.sign(message).count == 64)
        let rsa = try SigningKey.generate(.rs256(bits: 3072))
        #expect(rsa.algorithm == .rs256)
        #expect(try rsa.sign(message).count == 384)
    }

    @Test func `a thousand ES256 signatures all have 64 bytes and verify`() throws {
        let key = try SigningKey.generate(.es256)
        for number in 0..<1000 {
            let message = Array("message \(number)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.verify(signature, over: message, algorithm: .es256))
        }
    }

    @Test(arguments: kinds) func `an exported key is the same key after import`(kind: SigningKey.Kind) throws {
        let key = try SigningKey.generate(kind)
        for copy in [try SigningKey(pkcs8DER: key.exportPKCS8()), try SigningKey(exported: key.exportPKCS8())] {
            #expect(copy.publicKey.components == key.publicKey.components)
            #expect(copy.algorithm == key.algorithm)
            #expect(try key.publicKey.verify(copy.sign(message), over: message, algorithm: key.algorithm))
        }
    }

    @Test(arguments: [1024, 2047, 8193, -1]) func `RSA keys of other sizes are not made`(bits: Int) {
        #expect(throws: CryptoError.self) { try SigningKey.generate(.rs256(bits: bits)) }
    }

    @Test(arguments: kinds) func `truncated, extended and foreign DER is refused`(kind: SigningKey.Kind) throws {
        let der = try SigningKey.generate(kind).exportPKCS8().revealedBytes
        for length in stride(from: 0, to: der.count, by: 7) {
            #expect(throws: CryptoError.invalidKey(.malformed)) { try SigningKey(pkcs8DER: Array(der[..<length]).span) }
        }
        #expect(throws: CryptoError.invalidKey(.malformed)) { try SigningKey(pkcs8DER: (der + [0]).span) }
        #expect(throws: CryptoError.invalidKey(.malformed)) { try SigningKey(pkcs8DER: Array("-----BEGIN PRIVATE".utf8).span) }
    }

    @Test func `a private half that does not belong to its public half is refused`() throws {
        // The scalar of one key, the point of another: both end up in one PKCS#8 structure, which is well formed.
        let first = try SigningKey.generate(.es256).exportPKCS8().revealedBytes
        let second = try SigningKey.generate(.es256).exportPKCS8().revealedBytes
        let mixed = first.dropLast(64) + second.suffix(64)
        #expect(throws: CryptoError.invalidKey(.halvesDiffer)) { try SigningKey(pkcs8DER: Array(mixed).span) }
    }

    @Test func `a key on another curve is refused`() {
        // RFC 8410 §10.3, an Ed25519 key.
        let ed25519 = bytes(
            hex: "302e020100300506032b657004220420d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842")
        #expect(throws: CryptoError.invalidKey(.unsupportedType)) { try SigningKey(pkcs8DER: ed25519.span) }
    }

    @Test func `a signing key never prints`() throws {
        let key = try SigningKey.generate(.es256)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("‹redacted›"))
            #expect(!text.contains("0x"))
        }
    }

    @Test func `many tasks may sign with one key at once`() async throws {
        let key = try SigningKey.generate(.es256)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let message = Array("message \(number)".utf8)
                    return try key.publicKey.verify(key.sign(message), over: message, algorithm: .es256)
                }
            }
            for try await isValid in group { #expect(isValid) }
        }
    }
}
