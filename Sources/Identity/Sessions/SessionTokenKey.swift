package import Crypto
import Text

/// Makes and checks the macs by which refresh tokens, session cookies, form tokens and lasting tokens are known to be ours.
///
/// The mac is HMAC-SHA-256 over fields of fixed width, hence unambiguous: the kind (1 byte), the session's id (16), the
/// generation (4, big endian), the session's salt (16), and for the refresh token of a further grant its number (4, big endian). The key is
/// derived from the master key for this purpose alone. Macs are made under the key of the master key that seals, and hold under that of the other
/// one as well.
package struct SessionTokenKey: Sendable {
    /// What the mac is for; a token of one kind never passes for the other.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// Of the grant with which the session began.
        case refreshToken = 1
        case cookie = 2
        case restAuthCookie = 3
        /// What a page sends along with a cookie.
        case formToken = 4
        /// An access token that lasts as long as its session.
        case lastingToken = 5
        /// Of a further grant.
        case grantRefreshToken = 6
        /// Of a browser at our own pages.
        case browserCookie = 7
    }

    private let key: SymmetricKey
    /// At most one.
    private let others: [SessionTokenKey]

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        key = try masterKey.derive(.sessionTokens)
        others = try masterKey.other.map { other throws(CryptoError) in [try SessionTokenKey(other)] } ?? []
    }

    /// The key that has made a mac; nil when none of ours has. Takes the same time wherever the macs differ.
    package func maker(
        of mac: Digest, _ kind: Kind, _ sessionID: SessionID, generation: UInt32, salt: SessionSalt
    ) -> SessionTokenKey? {
        ([self] + others).first { $0.mac(kind, sessionID, generation: generation, salt: salt).matches(mac) }
    }

    /// The key that has made the mac of a refresh token; nil when none of ours has. Takes the same time wherever the macs differ.
    func maker(
        of mac: Digest, refreshTokenOf grant: GrantID, in sessionID: SessionID, generation: UInt32, salt: SessionSalt
    ) -> SessionTokenKey? {
        ([self] + others).first {
            $0.mac(refreshTokenOf: grant, in: sessionID, generation: generation, salt: salt).matches(mac)
        }
    }

    /// Every mac that holds, the one that is given out first.
    func macs(_ kind: Kind, _ sessionID: SessionID, generation: UInt32, salt: SessionSalt) -> [Digest] {
        ([self] + others).map { $0.mac(kind, sessionID, generation: generation, salt: salt) }
    }

    /// Cookies do not change: their generation is zero.
    package func mac(_ kind: Kind, _ sessionID: SessionID, generation: UInt32, salt: SessionSalt) -> Digest {
        HMACSHA256.authenticate(Self.message(kind, sessionID, generation, salt), key: key)
    }

    /// The mac of a refresh token.
    func mac(refreshTokenOf grant: GrantID, in sessionID: SessionID, generation: UInt32, salt: SessionSalt) -> Digest {
        guard grant != .first else { return mac(.refreshToken, sessionID, generation: generation, salt: salt) }
        let message = Self.message(.grantRefreshToken, sessionID, generation, salt) + Self.bytes(grant.number)
        return HMACSHA256.authenticate(message, key: key)
    }

    private static func message(_ kind: Kind, _ sessionID: SessionID, _ generation: UInt32, _ salt: SessionSalt) -> [UInt8] {
        var message = [kind.rawValue]
        message.reserveCapacity(41)
        message += sessionID.bytes
        message += bytes(generation)
        message += salt.bytes
        return message
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// 128 random bits that live in a session's record only, so that no token outlives the record: without it no mac can be made.
///
/// Compared nowhere and printed nowhere.
package struct SessionSalt: Sendable, Redacted {
    package static let byteCount = 16

    let bytes: [UInt8]

    /// `random` must be `byteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "a session salt is 16 bytes")
        bytes = random
    }

    /// As stored; `nil` for anything that `storedText` does not give.
    package init?(stored text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    package var storedText: String {
        Base64URL.encode(bytes)
    }
}
