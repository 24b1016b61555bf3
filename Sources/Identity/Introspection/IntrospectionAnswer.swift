import Text

/// Writes the answer to "is this token good?" (RFC 7662 §2.2) for a token that is, from what is kept of it: constant texts, and between them
/// what the record has as JSON already. Nothing is parsed, and memory is taken once.
package struct IntrospectionAnswer: Sendable {
    /// The whole answer for a token that is not good, whatever the cause.
    package static let inactive = Array("{\"active\":false}".utf8)

    private let installation: Installation
    /// `{"active":true,"aud":` and, where no other is named, the installation's own.
    private let ownAudience: [UInt8]
    private let issuer: [UInt8]

    private static let begin = Array("{\"active\":true,\"aud\":".utf8)
    private static let clientID = Array(",\"client_id\":\"".utf8)
    private static let subject = Array("\",\"sub\":\"".utf8)
    private static let username = Array("\",\"username\":\"".utf8)
    private static let isVerified = Array("\",\"email_verified\":true,\"token_type\":\"".utf8)
    private static let isNotVerified = Array("\",\"email_verified\":false,\"token_type\":\"".utf8)
    private static let type = Array("\",\"token_type\":\"".utf8)
    private static let bearer = Array("Bearer\",\"exp\":".utf8)
    private static let proofOfPossession = Array("DPoP\",\"exp\":".utf8)
    private static let issuedAt = Array(",\"iat\":".utf8)
    private static let notBefore = Array(",\"nbf\":".utf8)
    private static let tokenID = Array(",\"jti\":\"".utf8)
    private static let scope = Array("\",\"scope\":\"".utf8)
    private static let sessionID = Array("\",\"sid\":\"".utf8)
    private static let authenticatedAt = Array("\",\"auth_time\":".utf8)
    private static let methods = Array(",\"amr\":[".utf8)
    private static let confirmation = Array(",\"cnf\":".utf8)

    package init(_ installation: Installation) {
        self.installation = installation
        ownAudience = Self.begin + JSONValue.string(installation.audience).serialized
        issuer = Array(",\"iss\":".utf8) + JSONValue.string(installation.issuer).serialized
    }

    /// The answer for who may see tokens of these audiences; nil for one who may see none of the token's, and for what is no record.
    /// - Parameters:
    ///   - visible: which audiences; nil for all.
    ///   - end: until when who hears of its end may remember the answer, unless the token expires first; nil to say nothing of it.
    func render(_ record: [UInt8], for visible: VisibleAudiences?, rememberedUntil end: Timestamp? = nil) -> [UInt8]? {
        guard let stored = StoredAccessToken(record, in: installation) else { return nil }
        if let visible, !visible.contains(oneOf: stored, in: installation) { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(420 + record.count)
        append(audiencesOf: stored, to: &output)
        output += Self.clientID
        output += record[stored.client]
        output += Self.subject
        if stored.isUser {
            output.append(uuid: record[stored.userID])
            if stored.flags & AccessTokenRecord.Flags.hasName != 0 {
                output += Self.username
                output += record[stored.username]
                output += stored.flags & AccessTokenRecord.Flags.isVerified != 0 ? Self.isVerified : Self.isNotVerified
            } else {
                output += Self.type
            }
        } else {
            output += record[stored.client]
            output += Self.type
        }
        let isBoundToKey = stored.confirmation.first.map { record[$0] == KeyConfirmation.Member.jwkThumbprint.rawValue } ?? false
        output += isBoundToKey ? Self.proofOfPossession : Self.bearer
        output.append(decimal: stored.expiresAt)
        output += Self.issuedAt
        output.append(decimal: stored.issuedAt)
        output += Self.notBefore
        output.append(decimal: stored.issuedAt)
        output += issuer
        output += Self.tokenID
        output.append(uuid: record[stored.tokenID])
        appendRest(of: stored, to: &output)
        if let end {
            output[output.count - 1] = UInt8(ascii: ",")
            output += Array("\"cache_until\":\(min(Int64(stored.expiresAt), end.seconds))}".utf8)
        }
        return output
    }

    private func append(audiencesOf stored: StoredAccessToken, to output: inout [UInt8]) {
        guard stored.audienceCount > 0 else {
            output += ownAudience
            return
        }
        output += Self.begin
        if stored.audienceCount > 1 { output.append(UInt8(ascii: "[")) }
        var isFirst = true
        stored.forEachAudience { range in
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            output.append(UInt8(ascii: "\""))
            output += stored.bytes[range]
            output.append(UInt8(ascii: "\""))
        }
        if stored.audienceCount > 1 { output.append(UInt8(ascii: "]")) }
    }

    /// From the text of `jti` on, which is still open.
    private func appendRest(of stored: StoredAccessToken, to output: inout [UInt8]) {
        let record = stored.bytes
        if !stored.scope.isEmpty {
            output += Self.scope
            output.append(words: record[stored.scope])
        }
        if stored.isUser {
            output += Self.sessionID
            output.append(base64URL: record[stored.sessionID])
            output += Self.authenticatedAt
            output.append(decimal: stored.authenticatedAt)
        } else {
            output.append(UInt8(ascii: "\""))
        }
        if !stored.methods.isEmpty {
            output += Self.methods
            output.append(words: record[stored.methods])
            output.append(UInt8(ascii: "]"))
        }
        if !stored.confirmation.isEmpty, let confirmation = KeyConfirmation(stored: record[stored.confirmation]) {
            output += Self.confirmation
            output += confirmation.json.serialized
        }
        output += record[stored.members]
        output.append(UInt8(ascii: "}"))
    }
}

extension [UInt8] {
    mutating func append(decimal value: UInt32) {
        var divisor: UInt32 = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    /// Sixteen bytes as the text of a UUID.
    mutating func append(uuid bytes: ArraySlice<UInt8>) {
        var index = 0
        for byte in bytes {
            if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
            append(Hex.digit(byte >> 4))
            append(Hex.digit(byte & 15))
            index += 1
        }
    }

    /// Whatever number of bytes, without padding.
    mutating func append(base64URL bytes: ArraySlice<UInt8>) {
        var group: UInt32 = 0
        var bits = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                append(Base64URL.symbol(of: group >> UInt32(bits) & 63))
            }
        }
        if bits > 0 { append(Base64URL.symbol(of: group << UInt32(6 - bits) & 63)) }
    }
}
