import Crypto
import JOSE
import Text

/// What is read as JSON is written, and read again as the same.
func fuzzJSON(_ input: [UInt8]) {
    guard let value = try? JSON.parse(input) else { return }
    let written = value.serialized
    guard let again = try? JSON.parse(written, maximumDepth: 256) else { return require(false, "what is written can be read") }
    require(again == value && again.serialized == written, "what is written is what was read")
}

/// A compact JWS, with the key of the test: nothing that a stranger writes has a signature that holds.
func fuzzJWS(_ input: [UInt8]) {
    guard let unverified = try? UnverifiedJWS.parse(input.span) else { return }
    require((try? unverified.verify(with: strangersKeys, allowing: [.es256, .rs256])) == nil, "nobody has the key")
}

/// A key set: what is in it fits an algorithm, and is found by its id.
func fuzzJWK(_ input: [UInt8]) {
    guard let set = try? JWKSet.parse(input) else { return }
    for key in set.keys {
        require(SignatureAlgorithm.allCases.contains { key.fits($0) }, "a key fits an algorithm")
        if let id = key.keyID { require(key.hasID(id), "a key has its id") }
    }
}

/// A set with one key that nobody has the private half of.
private let strangersKeys: JWKSet = {
    let text = """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"k","alg":"ES256","use":"sig",\
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """
    guard let set = try? JWKSet.parse([UInt8](text.utf8)) else { preconditionFailure("this is a key set") }
    return set
}()
