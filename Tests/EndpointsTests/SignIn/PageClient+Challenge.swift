import Crypto
import Text

extension PageClient {
    static var challenge: String { Base64URL.encode(SHA256.hash(verifier).bytes) }
}
