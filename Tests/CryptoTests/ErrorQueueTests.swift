import COpenSSL
import Crypto
import Testing

/// OpenSSL keeps errors in a queue of the thread, and a TLS call on the same thread would take them for its own.
@Suite struct ErrorQueueTests {
    private let message = Array("message".utf8)

    @Test func `refused input leaves no error behind`() throws {
        ERR_clear_error()
        let elliptic = try SigningKey.generate(.es256)
        let rsa = try SigningKey.generate(.rs256())
        let key = SymmetricKey.random()
        #expect(!elliptic.publicKey.verify([UInt8](repeating: 1, count: 64), over: message, algorithm: .es256))
        #expect(ERR_peek_error() == 0)
        #expect(!rsa.publicKey.verify([UInt8](repeating: 1, count: 256), over: message, algorithm: .rs256))
        #expect(!rsa.publicKey.verify([UInt8](repeating: 1, count: 256), over: message, algorithm: .ps256))
        #expect(ERR_peek_error() == 0)
        _ = try? AESGCM.open([UInt8](repeating: 1, count: 40), key: key, additionalData: [])
        #expect(ERR_peek_error() == 0)
        _ = try? SigningKey(pkcs8DER: message.span)
        #expect(ERR_peek_error() == 0)
        _ = try? PublicKey(p256X: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
        #expect(ERR_peek_error() == 0)
        _ = try? Argon2id().verify(password: message, against: "$argon2id$v=19$m=64,t=1,p=1$!!!!!!!!$!!!!")
        #expect(ERR_peek_error() == 0)
    }

    @Test func `accepted input leaves no error behind`() throws {
        ERR_clear_error()
        for kind in [SigningKey.Kind.es256, .rs256()] {
            let key = try SigningKey(pkcs8DER: SigningKey.generate(kind).exportPKCS8())
            #expect(try key.publicKey.verify(key.sign(message), over: message, algorithm: key.algorithm))
        }
        let key = SymmetricKey.random()
        _ = try AESGCM.open(AESGCM.seal(message, key: key, additionalData: []), key: key, additionalData: [])
        _ = try HKDFSHA256.derive(from: key, info: [])
        _ = HMACSHA256.authenticate(SHA256.hash(message).bytes, key: key)
        #expect(ERR_peek_error() == 0)
    }
}
