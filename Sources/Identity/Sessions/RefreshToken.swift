import Crypto
package import Text

/// A refresh token (RFC 6749 §1.5) that is ours: minted here, or presented and verified.
///
/// Written as `kdr_<sid>.<generation>.<mac>`, of a further grant as `kdr_<sid>.<grant>.<generation>.<mac>`. It is not stored anywhere; whoever has
/// the session's record can compute it.
package struct RefreshToken: Sendable {
    package static let prefix = "kdr_"

    package let sessionID: SessionID
    package let grant: GrantID
    package let generation: UInt32
    /// What the client gets.
    package let text: SecretString

    package init(
        _ sessionID: SessionID, grant: GrantID = .first, generation: UInt32, salt: SessionSalt, key: SessionTokenKey
    ) {
        let mac = key.mac(refreshTokenOf: grant, in: sessionID, generation: generation, salt: salt)
        self.sessionID = sessionID
        self.grant = grant
        self.generation = generation
        let name = grant == .first ? "" : "\(grant)."
        text = SecretString("\(Self.prefix)\(sessionID.text).\(name)\(generation).\(Base64URL.encode(mac.bytes))")
    }
}

/// Something that has the form of a refresh token of ours. Only `verified(salt:key:)` says whether it is one.
package struct PresentedRefreshToken: Sendable {
    /// In bytes; longer input is refused unread.
    package static let maximumLength = 4096

    package let sessionID: SessionID
    let grant: GrantID
    private let generation: UInt32
    private let mac: Digest

    /// The one text that `RefreshToken` writes for these parts; `nil` for any other spelling of them.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.starts(with: RefreshToken.prefix.utf8) else { return nil }
        var parts = Array(text.utf8).dropFirst(RefreshToken.prefix.utf8.count)
            .split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        var grant = GrantID.first
        if parts.count == 4 {
            guard let number = Self.canonicalNumber(parts.remove(at: 1)), number > 0 else { return nil }
            grant = GrantID(number)
        }
        guard
            parts.count == 3,
            let sessionID = SessionID(String(decoding: parts[0], as: UTF8.self)),
            let generation = Self.canonicalNumber(parts[1]),
            let mac = Base64URL.decode(Array(parts[2])).flatMap({ Digest($0) })
        else { return nil }
        self.sessionID = sessionID
        self.grant = grant
        self.generation = generation
        self.mac = mac
    }

    /// The token, if it was made with this key for the session that has this salt. Takes the same time wherever the macs differ.
    package func verified(salt: SessionSalt, key: SessionTokenKey) -> RefreshToken? {
        // With the key that has made it, so that its text is the one that was presented.
        guard
            let key = key.maker(of: mac, refreshTokenOf: grant, in: sessionID, generation: generation, salt: salt)
        else { return nil }
        return RefreshToken(sessionID, grant: grant, generation: generation, salt: salt, key: key)
    }

    /// Decimal digits without sign and leading zeros, at most 32 bits.
    private static func canonicalNumber(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 10)
    }
}

/// Whose a refresh token is whose mac holds: a session that lives, or the tombstone of one.
enum RefreshTokenHolder {
    /// The session and the grant, which is nil when it has ended and the session has not.
    case live(Session, Grant?, RefreshToken)
    case ended(SessionID, UserID, SessionEnd)

    var sessionID: SessionID {
        switch self {
        case .live(let session, _, _): session.id
        case .ended(let id, _, _): id
        }
    }

    var userID: UserID {
        switch self {
        case .live(let session, _, _): session.userID
        case .ended(_, let userID, _): userID
        }
    }

    /// `nil` if nobody remembers.
    var clientID: ClientID? {
        switch self {
        case .live(_, let grant, _): grant?.clientID
        case .ended: nil
        }
    }
}
