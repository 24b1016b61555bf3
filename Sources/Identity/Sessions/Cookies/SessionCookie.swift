import Crypto
package import Text

/// A session cookie that is ours: made here, or presented and verified.
///
/// Written as `kdc_<sid>.<mac>`. Like a refresh token it is stored nowhere: whoever has the session's record can compute it. It
/// stays the same until `Sessions.changeCookie(of:)` gives the session another salt.
package struct SessionCookie: Sendable {
    package static let prefix = "kdc_"
    /// Cookies have no generations.
    static let generation: UInt32 = 0

    package let sessionID: SessionID
    /// What the client gets.
    package let text: SecretString

    package init(_ sessionID: SessionID, use: CookieUse, salt: SessionSalt, key: SessionTokenKey) {
        let mac = key.mac(use.macKind, sessionID, generation: Self.generation, salt: salt)
        self.sessionID = sessionID
        text = SecretString("\(Self.prefix)\(sessionID.text).\(Base64URL.encode(mac.bytes))")
    }
}

/// Something that has the form of a session cookie of ours. Only `isGenuine(use:salt:key:)` says whether it is one.
package struct PresentedSessionCookie: Sendable {
    /// In bytes: prefix, session id, dot and mac.
    package static let length = SessionCookie.prefix.utf8.count + SessionID.textLength + 1 + 43

    package let sessionID: SessionID
    private let mac: Digest

    /// The one text that `SessionCookie` writes for these parts; `nil` for any other spelling of them.
    package init?(_ text: SecretString) {
        let text = text.revealedText.utf8
        guard text.count == Self.length, text.starts(with: SessionCookie.prefix.utf8) else { return nil }
        let parts = text.dropFirst(SessionCookie.prefix.utf8.count)
            .split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 2, let sessionID = SessionID(Substring(parts[0])),
            let mac = Base64URL.decode(Substring(parts[1])).flatMap({ Digest($0) })
        else { return nil }
        self.sessionID = sessionID
        self.mac = mac
    }

    /// Whether it was made with this key for the session that has this salt. Takes the same time wherever the macs differ.
    package func isGenuine(use: CookieUse, salt: SessionSalt, key: SessionTokenKey) -> Bool {
        key.maker(of: mac, use.macKind, sessionID, generation: SessionCookie.generation, salt: salt) != nil
    }
}
