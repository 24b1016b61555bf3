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

    package init(_ installation: Installation) {
        self.installation = installation
        ownAudience = Array("{\"active\":true,\"aud\":".utf8) + JSONValue.string(installation.audience).serialized
        issuer = Array(",\"iss\":".utf8) + JSONValue.string(installation.issuer).serialized
    }

    /// The answer for who may see tokens of these audiences; nil for one who may see none of the token's, and for what is no record.
    /// - Parameters:
    ///   - visible: which audiences; nil for all.
    ///   - client: who asks, if it learns of a user by its own tokens only what these are good for; nil for who learns all.
    ///   - end: until when who hears of its end may remember the answer, unless the token expires first; nil to say nothing of it.
    func render(
        _ record: [UInt8], for visible: VisibleAudiences?, limitedBy client: ClientID? = nil,
        rememberedUntil end: Timestamp? = nil
    ) -> [UInt8]? {
        guard let stored = StoredAccessToken(record, in: installation) else { return nil }
        if let visible, !visible.contains(oneOf: stored, in: installation) { return nil }
        let confirmation = stored.confirmation.isEmpty ? nil : KeyConfirmation(stored: record[stored.confirmation])
        let key = confirmation?.json.serialized ?? []
        // The client may come twice; an audience has quotes and a comma around it.
        let written = 2 * record.count + CommonWords.longest * (stored.scope.count + stored.methods.count) + key.count
        let capacity = Self.literalCapacity + written + 3 * stored.audienceCount + ownAudience.count + issuer.count
        return [UInt8](capacity: capacity) { output in
            append(audiencesOf: stored, to: &output)
            append(ownerOf: stored, withName: stored.tellsName(to: client), to: &output)
            append(lifeOf: stored, to: &output)
            append(restOf: stored, key, to: &output)
            if let end {
                output.append(",\"cache_until\":")
                output.append(decimal: Int(max(0, min(Int64(stored.expiresAt), end.seconds))))
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// More than all literals below come to, with the numbers and identifiers between them.
    private static let literalCapacity = 440

    private func append(audiencesOf stored: StoredAccessToken, to output: inout OutputSpan<UInt8>) {
        guard stored.audienceCount > 0 else {
            output.append(ownAudience)
            return
        }
        output.append("{\"active\":true,\"aud\":")
        if stored.audienceCount > 1 { output.append(UInt8(ascii: "[")) }
        var position = stored.audiences
        for number in 0..<stored.audienceCount {
            if number > 0 { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            output.append(stored.bytes.span.extracting(stored.audience(at: &position)))
            output.append(UInt8(ascii: "\""))
        }
        if stored.audienceCount > 1 { output.append(UInt8(ascii: "]")) }
    }

    private func append(ownerOf stored: StoredAccessToken, withName: Bool, to output: inout OutputSpan<UInt8>) {
        let record = stored.bytes.span
        output.append(",\"client_id\":\"")
        output.append(record.extracting(stored.client))
        output.append("\",\"sub\":\"")
        guard stored.isUser else {
            output.append(record.extracting(stored.client))
            output.append(UInt8(ascii: "\""))
            return
        }
        output.append(uuid: record.extracting(stored.userID))
        output.append(UInt8(ascii: "\""))
        guard withName else { return }
        output.append(",\"username\":\"")
        output.append(record.extracting(stored.username))
        let isVerified = stored.flags & AccessTokenRecord.Flags.isVerified != 0
        output.append(isVerified ? "\",\"email_verified\":true" : "\",\"email_verified\":false")
    }

    private func append(lifeOf stored: StoredAccessToken, to output: inout OutputSpan<UInt8>) {
        let record = stored.bytes.span
        let isBoundToKey =
            stored.confirmation.first.map { stored.bytes[$0] == KeyConfirmation.Member.jwkThumbprint.rawValue } ?? false
        output.append(isBoundToKey ? ",\"token_type\":\"DPoP\",\"exp\":" : ",\"token_type\":\"Bearer\",\"exp\":")
        output.append(decimal: Int(stored.expiresAt))
        output.append(",\"iat\":")
        output.append(decimal: Int(stored.issuedAt))
        output.append(",\"nbf\":")
        output.append(decimal: Int(stored.issuedAt))
        output.append(issuer)
        output.append(",\"jti\":\"")
        output.append(uuid: record.extracting(stored.tokenID))
        output.append(UInt8(ascii: "\""))
    }

    /// - Parameter key: the member `cnf` as JSON, empty for none.
    private func append(restOf stored: StoredAccessToken, _ key: [UInt8], to output: inout OutputSpan<UInt8>) {
        let record = stored.bytes.span
        if !stored.scope.isEmpty {
            output.append(",\"scope\":\"")
            output.append(words: record.extracting(stored.scope))
            output.append(UInt8(ascii: "\""))
        }
        if stored.isUser {
            output.append(",\"sid\":\"")
            output.append(base64URL: record.extracting(stored.sessionID))
            output.append("\",\"auth_time\":")
            output.append(decimal: Int(stored.authenticatedAt))
        }
        if !stored.methods.isEmpty {
            output.append(",\"amr\":[")
            output.append(words: record.extracting(stored.methods))
            output.append(UInt8(ascii: "]"))
        }
        if !key.isEmpty {
            output.append(",\"cnf\":")
            output.append(key)
        }
        output.append(record.extracting(stored.members))
    }
}
