import Crypto
import Identity
import Testing
import Text

@Suite struct SealedProviderTokenTests {
    private let grant = ProviderTokenOwner(provider: .apple, subject: "001.a", clientID: "app.town.example")

    private func sealed() throws -> SealedProviderToken {
        try SealedProviderToken(sealing: SecretString("a token"), of: grant, with: try Sample.masterKey())
    }

    @Test func `a sealed token is opened with the same master key for the same grant`() throws {
        #expect(try sealed().open(grant, with: try Sample.masterKey()).revealedText == "a token")
        #expect(!String(decoding: try sealed().sealed, as: UTF8.self).contains("token"))
    }

    @Test func `another master key, another grant and damaged bytes open nothing`() throws {
        let token = try sealed()
        #expect(throws: CryptoError.authenticationFailed) { try token.open(grant, with: try Sample.masterKey(2)) }
        let others = [
            ProviderTokenOwner(provider: .google, subject: "001.a", clientID: "app.town.example"),
            ProviderTokenOwner(provider: .apple, subject: "001.b", clientID: "app.town.example"),
            ProviderTokenOwner(provider: .apple, subject: "001.a", clientID: "web.town.example"),
            ProviderTokenOwner(provider: .apple, subject: "001.aapp", clientID: ".town.example"),
        ]
        for other in others {
            #expect(throws: CryptoError.authenticationFailed) { try token.open(other, with: try Sample.masterKey()) }
        }
        for index in token.sealed.indices {
            var damaged = token.sealed
            damaged[index] ^= 1
            let stored = SealedProviderToken(sealed: damaged)
            #expect(throws: CryptoError.authenticationFailed) { try stored.open(grant, with: try Sample.masterKey()) }
        }
    }
}
