import Crypto
package import Text

/// A refresh token (RFC 6749 §1.5) that is ours: minted here, or presented and verified.
///
/// Written as `kdr_<sid>.<generation>.<mac>`. It is not stored anywhere; whoever has the session's record can compute it.
package struct RefreshToken: Sendable {
    package static let prefix = "kdr_"

    package let sessionID: SessionID
    package let generation: UInt32
    /// What the client gets.
    package let text: SecretString

    package init(_ sessionID: SessionID, generation: UInt32, salt: SessionSalt, key: SessionTokenKey) {
        let mac = key.mac(.refreshToken, sessionID, generation: generation, salt: salt)
        self.sessionID = sessionID
        self.generation = generation
        text = SecretString("\(Self.prefix)\(sessionID.text).\(generation).\(Base64URL.encode(mac.bytes))")
    }
}
