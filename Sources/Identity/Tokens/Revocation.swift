import Text

/// What has ended before its time, as backends are told of it that verify tokens by themselves. Never the token, nor anything that it could
/// be found by.
package enum Revocation: Sendable {
    /// Without a user if its record was damaged.
    case session(SessionID, of: UserID?)
    case token(RevokedTokenFacts)
    /// All tokens that a client has got for itself.
    case client(ClientID)

    var name: String {
        switch self {
        case .session: "session_ended"
        case .token: "token_revoked"
        case .client: "client_ended"
        }
    }

    /// - Parameter end: when the last token expires that has ended with it; nil if none is known.
    func data(until end: UInt32?, at now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 192)
        writer.beginObject()
        switch self {
        case .session(let id, let userID):
            writer.member("sid", id.text)
            if let userID { writer.member("sub", userID.description) }
        case .token(let facts):
            writer.member("jti", facts.tokenID)
            writer.member("sub", facts.subject)
            if let sessionID = facts.sessionID { writer.member("sid", sessionID) }
            writer.member("client_id", facts.clientID)
        case .client(let id): writer.member("client_id", id.text)
        }
        if let end { writer.member("exp", Int64(end)) }
        writer.member("iat", now.seconds)
        writer.endObject()
        return writer.bytes
    }
}

/// What is told of an access token.
package struct RevokedTokenFacts: Sendable {
    let tokenID: String
    let subject: String
    let sessionID: String?
    let clientID: String

    init(_ token: StoredAccessToken) {
        var jti: [UInt8] = []
        jti.append(uuid: token.bytes[token.tokenID].span)
        tokenID = String(decoding: jti, as: UTF8.self)
        clientID = String(decoding: token.bytes[token.client], as: UTF8.self)
        guard token.isUser else {
            (subject, sessionID) = (clientID, nil)
            return
        }
        var sub: [UInt8] = []
        var sid: [UInt8] = []
        sub.append(uuid: token.bytes[token.userID].span)
        sid.append(base64URL: token.bytes[token.sessionID].span)
        (subject, sessionID) = (String(decoding: sub, as: UTF8.self), String(decoding: sid, as: UTF8.self))
    }
}
