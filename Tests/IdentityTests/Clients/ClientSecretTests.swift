import Crypto
import Identity
import Testing
import Text

@Suite struct ClientSecretTests {
    private let secret = ClientSecret(random: Array(0..<32))

    @Test func `a secret is its prefix and 256 bits`() {
        #expect(secret.text.revealedText == "kds_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    }

    @Test func `a secret matches its digest and no other text does`() {
        let text = secret.text.revealedText
        #expect(ClientSecret.digest(of: SecretString(text)) == secret.digest)
        for other in [
            "", text + " ", String(text.dropLast()), text.lowercased(), String(text.dropFirst(4)), text + "\0", secret.digest.hex,
        ] {
            #expect(ClientSecret.digest(of: SecretString(other)) != secret.digest)
        }
    }

    @Test func `a secret does not print`() {
        #expect(!"\(secret)".contains("kds_"))
    }
}
