package import Crypto
import JOSE
package import Text

/// Tokens with `HS256` signatures, for client protocols that know no others. What they say is for the API that wants them.
package struct SharedSecretTokens: Sendable {
    /// What a presented token is.
    package enum Reading: Sendable {
        case valid(JSONObject)
        /// Signed by us, but its `exp` has come.
        case expired(JSONObject)
        case foreign
    }

    private let jws: SharedSecretJWS
    /// Of the other master key.
    private let other: SharedSecretJWS?

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        jws = SharedSecretJWS(key: try masterKey.derive(.sharedSecretTokens))
        other = try masterKey.other.map { key throws(CryptoError) in
            SharedSecretJWS(key: try key.derive(.sharedSecretTokens))
        }
    }

    package func sign(_ claims: JSONObject) -> SecretString {
        SecretString(jws.sign(JSONValue.object(claims).serialized))
    }

    /// A token that says nothing of its end is none of ours.
    package func read(_ token: SecretString, at now: Timestamp) -> Reading {
        guard let payload = (try? jws.verify(token.revealedText)) ?? (try? other?.verify(token.revealedText)),
            let claims = try? JSON.parse(payload).objectValue,
            let end = claims["exp"]?.integerValue
        else { return .foreign }
        return Timestamp(seconds: end) > now ? .valid(claims) : .expired(claims)
    }
}
