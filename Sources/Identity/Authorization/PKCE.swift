import Crypto
import Text

/// `code_challenge` with the method S256, the only one that is taken (RFC 7636 §4.2; RFC 9700 §2.1.1).
package struct PKCEChallenge: Equatable, Sendable {
    package let text: String

    /// - Returns: nil unless it is the base64url of a SHA-256.
    package init?(_ text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
        self.text = text
    }
}

/// `code_verifier` (RFC 7636 §4.1, §4.6).
package enum PKCEVerifier {
    /// Whether a token request's verifier fits what the authorization request said. A verifier without a challenge is refused as well: somebody
    /// has taken the challenge out on the way (RFC 9700 §4.8.2).
    package static func fits(_ verifier: String?, _ challenge: PKCEChallenge?) -> Bool {
        switch (verifier, challenge) {
        case (nil, nil): true
        case (nil, _?), (_?, nil): false
        case (let verifier?, let challenge?):
            isWellFormed(verifier)
                && ConstantTime.equal(
                    Array(Base64URL.encode(SHA256.hash(Array(verifier.utf8)).bytes).utf8), Array(challenge.text.utf8))
        }
    }

    /// 43 to 128 unreserved characters.
    private static func isWellFormed(_ verifier: String) -> Bool {
        (43...128).contains(verifier.utf8.count)
            && verifier.unicodeScalars.allSatisfy { $0.isASCIILetterOrDigit || "-._~".unicodeScalars.contains($0) }
    }
}
