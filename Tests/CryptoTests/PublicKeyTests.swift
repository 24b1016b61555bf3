import Crypto
import Testing

@Suite struct PublicKeyTests {
    private static let elliptic = Result { try SigningKey.generate(.es256) }
    private static let rsa = Result { try SigningKey.generate(.rs256()) }
    private let message = Array("message".utf8)

    /// The order of P-256's base point (SEC 2 §2.4.2).
    private let order = bytes(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    @Test func `every flipped bit of an ES256 signature is noticed`() throws {
        let key = try Self.elliptic.get()
        let signature = try key.sign(message)
        for bit in 0..<512 {
            #expect(!key.publicKey.verify(flipping(bit: bit, of: signature), over: message, algorithm: .es256))
        }
    }

    @Test func `every flipped bit of an RS256 signature is noticed`() throws {
        let key = try Self.rsa.get()
        let signature = try key.sign(message)
        for bit in 0..<2048 {
            #expect(!key.publicKey.verify(flipping(bit: bit, of: signature), over: message, algorithm: .rs256))
        }
    }

    @Test func `every flipped bit of the message is noticed`() throws {
        for key in try [Self.elliptic.get(), Self.rsa.get()] {
            let signature = try key.sign(message)
            for bit in 0..<message.count * 8 {
                let changed = flipping(bit: bit, of: message)
                #expect(!key.publicKey.verify(signature, over: changed, algorithm: key.algorithm))
            }
        }
    }

    @Test func `another key does not verify`() throws {
        for (key, kind) in try [(Self.elliptic.get(), SigningKey.Kind.es256), (Self.rsa.get(), .rs256())] {
            let stranger = try SigningKey.generate(kind)
            #expect(try !key.publicKey.verify(stranger.sign(message), over: message, algorithm: key.algorithm))
        }
    }

    @Test func `an algorithm that does not fit the key never verifies`() throws {
        for key in try [Self.elliptic.get(), Self.rsa.get()] {
            let signature = try key.sign(message)
            for algorithm in SignatureAlgorithm.allCases where algorithm != key.algorithm {
                #expect(!key.publicKey.verify(signature, over: message, algorithm: algorithm))
            }
        }
        #expect(try Self.elliptic.get().publicKey.algorithms == [.es256])
        #expect(try Self.rsa.get().publicKey.algorithms == [.rs256, .ps256])
    }

    @Test func `a signature of another length never verifies`() throws {
        for key in try [Self.elliptic.get(), Self.rsa.get()] {
            let signature = try key.sign(message)
            for wrong in [[], Array(signature.dropFirst()), Array(signature.dropLast()), signature + [0], [0] + signature] {
                #expect(!key.publicKey.verify(wrong, over: message, algorithm: key.algorithm))
            }
        }
    }

    @Test func `an ES256 signature outside the range of the group never verifies`() throws {
        let key = try Self.elliptic.get().publicKey
        let zero = [UInt8](repeating: 0, count: 32)
        let one = zero.dropLast() + [1]
        let largest = [UInt8](repeating: 0xFF, count: 32)
        for r in [zero, Array(one), order, largest] {
            for s in [zero, Array(one), order, largest] {
                #expect(!key.verify(r + s, over: message, algorithm: .es256))
            }
        }
    }

    @Test func `a DER signature is not an ES256 signature`() throws {
        // RFC 7515 appendix A.3 over its own message would be 64 bytes; the same numbers as DER are 70.
        let key = try Self.elliptic.get()
        let raw = try key.sign(message)
        let der = [0x30, 68, 2, 32] + raw[..<32] + [2, 32] + raw[32...]
        #expect(!key.publicKey.verify(Array(der), over: message, algorithm: .es256))
    }

    @Test func `the components of a key make the same key`() throws {
        for key in try [Self.elliptic.get(), Self.rsa.get()] {
            let copy = try PublicKey(key.publicKey.components)
            #expect(copy.components == key.publicKey.components)
            #expect(try copy.verify(key.sign(message), over: message, algorithm: key.algorithm))
        }
    }

    @Test func `a point that is not on the curve is refused`() throws {
        guard case .p256(let x, let y) = try Self.elliptic.get().publicKey.components else {
            Issue.record("an ES256 key has a point")
            return
        }
        for bit in 0..<256 {
            #expect(throws: CryptoError.invalidKey(.pointNotOnCurve)) { try PublicKey(p256X: x, y: flipping(bit: bit, of: y)) }
        }
        let zero = [UInt8](repeating: 0, count: 32)
        let prime = bytes(hex: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        let largest = [UInt8](repeating: 0xFF, count: 32)
        for (x, y) in [(zero, zero), (zero, y), (x, zero), (prime, y), (largest, largest)] {
            #expect(throws: CryptoError.invalidKey(.pointNotOnCurve)) { try PublicKey(p256X: x, y: y) }
        }
    }

    @Test(arguments: [0, 31, 33, 64]) func `coordinates of another length are refused`(count: Int) throws {
        let wrong = [UInt8](repeating: 1, count: count)
        let right = [UInt8](repeating: 1, count: 32)
        #expect(throws: CryptoError.invalidKey(.wrongLength)) { try PublicKey(p256X: wrong, y: right) }
        #expect(throws: CryptoError.invalidKey(.wrongLength)) { try PublicKey(p256X: right, y: wrong) }
    }
}
