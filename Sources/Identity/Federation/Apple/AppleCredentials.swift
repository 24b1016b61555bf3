import Crypto
import JOSE
package import Text

/// What Apple's developer portal gives to a team for asking Apple's token endpoint: the team, and a private key with its name.
package struct AppleCredentials: Sendable {
    /// A key for ES256, which is all that Apple takes.
    package struct PrivateKey: Sendable {
        fileprivate let key: SigningKey

        /// From the text of a `.p8` file; nil for anything else.
        package init?(pem: SecretString) {
            guard let key = try? SigningKey(pem: pem), key.algorithm == .es256 else { return nil }
            self.key = key
        }
    }

    /// How long a client secret is good. Apple allows six months; one is made for each call.
    static let secretLife: Duration = .seconds(5 * 60)
    /// Of client secrets, whatever the address of the token endpoint.
    static let audience = "https://appleid.apple.com"

    private let teamID: String
    private let signer: JWSSigner

    /// - Parameters:
    ///   - teamID: ten characters, in the portal's words "Team ID".
    ///   - keyID: the key's name, ten characters.
    package init(teamID: String, keyID: String, key: PrivateKey) {
        self.teamID = teamID
        signer = JWSSigner(key: key.key, type: nil, keyID: keyID)
    }

    /// A client secret of the app or Services ID `clientID`, good for five minutes.
    func clientSecret(for clientID: String, at now: Timestamp) throws(JOSEError) -> SecretString {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("iss", teamID)
        writer.member("iat", now.seconds)
        writer.member("exp", now.adding(Self.secretLife).seconds)
        writer.member("aud", Self.audience)
        writer.member("sub", clientID)
        writer.endObject()
        return SecretString(try signer.sign(writer.bytes))
    }
}
