package import Text

/// Whom an access token speaks for, and with what rights.
package struct Principal: Equatable, Sendable {
    package enum Subject: Equatable, Sendable {
        case user(UserID, SessionID, GrantID)
        /// The client itself (RFC 6749 §4.4).
        case client
    }

    package let subject: Subject
    /// To whom the token was issued.
    package let clientID: ClientID
    /// Whom it is for.
    package let audiences: [String]
    /// What it is good for.
    package let scopes: Set<String>
    /// How the user proved who they are (`amr`), and when; empty and nil for a client.
    package let methods: Set<AuthenticationMethod>
    package let authenticatedAt: Timestamp?
    /// The key that whoever presents the token must prove to hold; nil for a bearer token.
    package let confirmation: KeyConfirmation?
    /// Who acts for the user, and before that.
    package let actors: [ClientID]
    /// By the clock of its session.
    package let expiresAt: Timestamp

    /// The user, if it is one's token.
    package var user: AuthenticatedUser? {
        guard case .user(let userID, let sessionID, let grant) = subject else { return nil }
        return AuthenticatedUser(userID: userID, sessionID: sessionID, grant: grant, clientID: clientID)
    }
}

/// The user that an access token speaks for.
package struct AuthenticatedUser: Equatable, Sendable {
    package let userID: UserID
    package let sessionID: SessionID
    package let grant: GrantID
    package let clientID: ClientID
}

extension Principal {
    /// From what is kept of the token; nil for what is no such record.
    init?(_ record: [UInt8], in installation: Installation) {
        guard let stored = StoredAccessToken(record, in: installation),
            let clientID = ClientID(Self.text(record[stored.client]))
        else { return nil }
        if stored.isUser {
            guard let uuid = UUID(bytes: Array(record[stored.userID])),
                let sessionID = SessionID(bytes: Array(record[stored.sessionID]))
            else { return nil }
            subject = .user(UserID(uuid), sessionID, GrantID(stored.grant))
        } else {
            subject = .client
        }
        self.clientID = clientID
        var audiences: [String] = []
        stored.forEachAudience { audiences.append(Self.unescaped(record[$0])) }
        self.audiences = audiences.isEmpty ? [installation.audience] : audiences
        scopes = Set(Self.unescaped(stored.scopes).split(separator: " ").map { String($0) })
        var amr: [UInt8] = []
        amr.append(words: record[stored.methods])
        methods = Set(
            stored: Self.text(amr[...]).split(separator: ",").map { $0.dropFirst().dropLast() }.joined(
                separator: " "))
        authenticatedAt = stored.isUser ? Timestamp(seconds: Int64(stored.authenticatedAt)) : nil
        confirmation = KeyConfirmation(stored: record[stored.confirmation])
        actors = Self.actors(record[stored.members])
        expiresAt = Timestamp(seconds: Int64(stored.expiresAt))
    }

    /// Those of `act`, which is the last of the further members.
    private static func actors(_ members: ArraySlice<UInt8>) -> [ClientID] {
        guard members.last == UInt8(ascii: "}"),
            var act = (try? JSON.parse([UInt8(ascii: "{")] + members.dropFirst() + [UInt8(ascii: "}")]))?["act"]
        else { return [] }
        var actors: [ClientID] = []
        while let actor = act["sub"]?.stringValue.flatMap({ ClientID($0) }) {
            actors.append(actor)
            guard let earlier = act["act"] else { break }
            act = earlier
        }
        return actors
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// A text that is as JSON has it between its quotes.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return text(bytes) }
        let quote = [UInt8(ascii: "\"")]
        return (try? JSON.parse(quote + bytes + quote).stringValue) ?? ""
    }
}
