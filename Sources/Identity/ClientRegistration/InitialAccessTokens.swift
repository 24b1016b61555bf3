package import Crypto
package import Text

/// Tokens with which software may register itself as a client (RFC 7591 §3): `kdi_`, what it allows, and a mac under a key that is derived of the
/// master key. They are stored nowhere; how often one has been used is counted until it expires.
package struct InitialAccessTokens: Sendable {
    package static let prefix = "kdi_"
    package static let randomByteCount = 16
    package static let uses = 1...1000
    package static let life = Duration.seconds(60) ... .seconds(30 * 86_400)
    /// Expiry in seconds, uses and chance; a token that lets its clients go without PKCE has this byte before them.
    private static let payloadByteCount = 8 + 2 + randomByteCount
    private static let withoutPKCE: UInt8 = 1

    /// What a token allows.
    package struct Permit: Equatable, Sendable {
        /// By which its uses are counted.
        package let name: String
        package let uses: Int
        package let expiresAt: Timestamp
        /// Whether web applications that prove who they are may go without PKCE.
        package let allowsOmittingPKCE: Bool
    }

    /// The one that makes tokens first.
    private let keys: [SymmetricKey]

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        var keys = [try masterKey.derive(.registration)]
        if let other = masterKey.other { keys.append(try other.derive(.registration)) }
        self.keys = keys
    }

    /// - Parameter random: `randomByteCount` bytes from a secure source.
    package func token(until end: Timestamp, uses: Int, allowsOmittingPKCE: Bool = false, random: [UInt8]) -> SecretString {
        var payload: [UInt8] = allowsOmittingPKCE ? [Self.withoutPKCE] : []
        payload += (0..<8).map { UInt8(truncatingIfNeeded: end.seconds >> (56 - 8 * $0)) }
        payload += [UInt8(truncatingIfNeeded: uses >> 8), UInt8(truncatingIfNeeded: uses)]
        payload += random
        return SecretString(Self.prefix + Base64URL.encode(payload + Self.mac(payload, keys[0]).bytes))
    }

    /// Nil for what is none of ours, or has expired. Takes the same time wherever the macs differ.
    package func permit(_ token: SecretString, at now: Timestamp) -> Permit? {
        let text = token.revealedText
        guard text.hasPrefix(Self.prefix), let bytes = Base64URL.decode(text.dropFirst(Self.prefix.count)),
            case let extra = bytes.count - Self.payloadByteCount - Digest.byteCount, (0...1).contains(extra),
            let mac = Digest(Array(bytes.suffix(Digest.byteCount)))
        else { return nil }
        let signed = Array(bytes.dropLast(Digest.byteCount))
        guard keys.contains(where: { Self.mac(signed, $0).matches(mac) }) else { return nil }
        let payload = Array(signed.suffix(Self.payloadByteCount))
        let seconds = payload.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let end = Timestamp(seconds: seconds)
        guard now < end else { return nil }
        return Permit(
            name: Hex.encode(Array(payload.suffix(Self.randomByteCount))), uses: Int(payload[8]) << 8 | Int(payload[9]),
            expiresAt: end, allowsOmittingPKCE: extra == 1 && signed[0] == Self.withoutPKCE)
    }

    private static func mac(_ payload: [UInt8], _ key: SymmetricKey) -> Digest {
        HMACSHA256.authenticate(Array("initial_access_token\0".utf8) + payload, key: key)
    }
}

/// With what a client that has registered itself looks after its registration (RFC 7592 §3): `kdm_` and 256 random bits, kept as a digest.
package struct RegistrationAccessToken: Sendable {
    package static let prefix = "kdm_"
    package static let randomByteCount = 32

    package let text: SecretString

    /// `random` must be `randomByteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a registration access token is 32 bytes")
        text = SecretString(Self.prefix + Base64URL.encode(random))
    }

    package var digest: Digest { Self.digest(of: text) }

    static func digest(of presented: SecretString) -> Digest { SHA256.hash(presented.revealedText) }
}
