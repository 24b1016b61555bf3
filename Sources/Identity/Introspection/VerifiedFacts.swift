import Text

/// Who comes, as short texts of visible ASCII, in which everything else and `%` are percent-encoded (RFC 3986 §2.1).
package struct VerifiedFacts: Sendable {
    package enum Fact: Sendable, CaseIterable {
        /// The user; of a client's own token, the client.
        case subject
        case session
        /// To whom the token was issued.
        case client
        /// With blanks between.
        case scope
        case email
        /// `true` or `false`.
        case isEmailVerified
    }

    private enum Source: Sendable {
        case token(StoredAccessToken, tellsName: Bool)
        case session(Session)
    }

    private let source: Source

    /// - Parameter client: who asks.
    init(_ token: StoredAccessToken, for client: Client) {
        source = .token(token, tellsName: token.tellsName(to: client.limitedByScopes))
    }

    init(_ session: Session) {
        source = .session(session)
    }

    /// Appends a fact; false, and nothing, for one that is not known.
    package func write(_ fact: Fact, to output: inout [UInt8]) -> Bool {
        switch source {
        case .token(let token, let tellsName): token.write(fact, tellsName, to: &output)
        case .session(let session): session.write(fact, to: &output)
        }
    }
}

extension StoredAccessToken {
    fileprivate func write(_ fact: VerifiedFacts.Fact, _ tellsName: Bool, to output: inout [UInt8]) -> Bool {
        switch fact {
        case .subject where isUser: output.append(uuid: bytes[userID].span)
        case .subject, .client: output += bytes[client]
        case .session:
            guard isUser else { return false }
            output.append(base64URL: bytes[sessionID].span)
        case .scope:
            guard !scope.isEmpty else { return false }
            output.append(percentEncoding: scopes, sparing: UInt8(ascii: " "))
        case .email:
            guard tellsName else { return false }
            if bytes[username].contains(UInt8(ascii: "\\")) {
                output.append(percentEncoding: Array(Principal.unescaped(bytes[username]).utf8)[...])
            } else {
                output.append(percentEncoding: bytes[username])
            }
        case .isEmailVerified:
            guard tellsName else { return false }
            output += flags & AccessTokenRecord.Flags.isVerified != 0 ? Array("true".utf8) : Array("false".utf8)
        }
        return true
    }
}

extension Session {
    fileprivate func write(_ fact: VerifiedFacts.Fact, to output: inout [UInt8]) -> Bool {
        switch fact {
        case .subject: output += userID.description.utf8
        case .session: output += id.text.utf8
        case .client: output += clientID.text.utf8
        case .scope: return false
        case .email:
            guard let username = owner.username else { return false }
            output.append(percentEncoding: Array(username.utf8)[...])
        case .isEmailVerified:
            guard owner.username != nil else { return false }
            output += owner.emailVerified.description.utf8
        }
        return true
    }
}

extension [UInt8] {
    /// - Parameter spared: a byte that is taken as it is, although it is not visible.
    fileprivate mutating func append(percentEncoding text: ArraySlice<UInt8>, sparing spared: UInt8? = nil) {
        for byte in text {
            if (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "%") || byte == spared {
                append(byte)
            } else {
                append(UInt8(ascii: "%"))
                append(Hex.digit(byte >> 4))
                append(Hex.digit(byte & 15))
            }
        }
    }
}
