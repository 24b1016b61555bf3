import Crypto
import Identity
import Testing

@Suite struct SealedKeyTests {
    private let privateKey = Array("a private key".utf8)

    private func sealed() throws -> SealedKey {
        try SealedKey(sealing: ProtectedBytes(privateKey), kid: "k1", with: try Sample.masterKey())
    }

    @Test func `a sealed key is opened with the same master key`() throws {
        let opened = try sealed().open(with: try Sample.masterKey())
        #expect(opened.revealedBytes == privateKey)
    }

    @Test func `the stored bytes show nothing of the key and differ each time`() throws {
        let first = try sealed()
        let second = try sealed()
        #expect(first.sealed != second.sealed)
        #expect(!String(decoding: first.sealed, as: UTF8.self).contains("private"))
    }

    @Test func `another master key, another key id and damaged bytes open nothing`() throws {
        let key = try sealed()
        #expect(throws: CryptoError.authenticationFailed) { try key.open(with: try Sample.masterKey(2)) }
        let moved = SealedKey(kid: "k2", sealed: key.sealed)
        #expect(throws: CryptoError.authenticationFailed) { try moved.open(with: try Sample.masterKey()) }
        for index in key.sealed.indices {
            var damaged = key.sealed
            damaged[index] ^= 1
            let stored = SealedKey(kid: "k1", sealed: damaged)
            #expect(throws: CryptoError.authenticationFailed) { try stored.open(with: try Sample.masterKey()) }
        }
        for length in 0..<key.sealed.count {
            let stored = SealedKey(kid: "k1", sealed: Array(key.sealed.prefix(length)))
            #expect(throws: CryptoError.authenticationFailed) { try stored.open(with: try Sample.masterKey()) }
        }
    }
}
