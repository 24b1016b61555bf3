package import Text

/// What is kept of an access token that is good, under its hash: all that introspection answers, packed.
///
/// | bytes | what |
/// | --- | --- |
/// | 1, 1 | the version, flags |
/// | 4 | the mark of the installation |
/// | 16, 4, m | `jti`, `iat`, and how much later `exp` is |
/// | 16, 16, 4, m | of a user's: `sub`, `sid`, the grant unless it is the first, how much earlier `auth_time` is |
/// | m + n | `client_id` |
/// | m + n each | `username`, `scope`, `amr`: as JSON has them, between their quotes or brackets; the latter two by `CommonWords` |
/// | m + n | `cnf` |
/// | m, then m + n each | audiences, as JSON has them between quotes; none where it is the installation's own |
/// | the rest | further members, as JSON has them |
///
/// An m is a number in as few bytes as it needs (`PackedWriter.compact`). Whoever answers copies these texts between constant ones, and
/// parses nothing. There are as many records as access tokens, all in Redis's memory.
package struct AccessTokenRecord: Equatable, Sendable {
    /// Whom a token speaks for.
    package enum Subject: Equatable, Sendable {
        case user(UserID, SessionID, GrantID, SessionOwner, methods: Set<AuthenticationMethod>, authenticatedAt: Timestamp)
        /// The client itself.
        case client
    }

    package let subject: Subject
    package let clientID: ClientID
    package let tokenID: UUID
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    /// Nil where the installation's own is the only one.
    package let audiences: [String]?
    package let scopes: [String]
    package let confirmation: KeyConfirmation?
    /// Who acts for the user with it (`act`, RFC 8693 §4.1), and before that; empty where nobody else does.
    package let actors: [ClientID]

    package init(
        subject: Subject, clientID: ClientID, tokenID: UUID, issuedAt: Timestamp, expiresAt: Timestamp, audiences: [String]?,
        scopes: [String], confirmation: KeyConfirmation? = nil, actors: [ClientID] = []
    ) {
        self.actors = actors
        self.subject = subject
        self.clientID = clientID
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.audiences = audiences
        self.scopes = scopes
        self.confirmation = confirmation
    }

    static let version: UInt8 = 2

    enum Flags {
        static let isUser: UInt8 = 1
        static let isVerified: UInt8 = 2
        static let hasName: UInt8 = 4
        static let hasGrant: UInt8 = 8
    }

    /// As it is stored.
    package func bytes(in installation: Installation) -> [UInt8] {
        var writer = PackedWriter(capacity: 256)
        writer.number(Self.version, 1)
        writer.number(flags, 1)
        writer.raw(installation.mark)
        writer.raw(tokenID.bytes)
        writer.number(issuedAt.seconds, 4)
        writer.compact(UInt32(truncatingIfNeeded: expiresAt.seconds &- issuedAt.seconds))
        var (username, methods, claims) = ("", Set<AuthenticationMethod>(), JSONObject())
        if case .user(let userID, let sessionID, let grant, let owner, let ways, let authenticatedAt) = subject {
            writer.raw(userID.uuid.bytes)
            writer.raw(sessionID.bytes)
            if grant != .first { writer.number(grant.number, 4) }
            writer.compact(UInt32(truncatingIfNeeded: issuedAt.seconds &- authenticatedAt.seconds))
            (username, methods, claims) = (owner.username ?? "", ways, owner.claims)
        }
        writer.compact(Array(clientID.text.utf8))
        writer.compact(Self.escaped(username))
        let amr = methods.sorted().map { "\"\($0)\"" }.joined(separator: ",")
        writer.compact(CommonWords.shorten(Self.escaped(scopes.joined(separator: " ")).span, separator: UInt8(ascii: " ")))
        writer.compact(CommonWords.shorten(Array(amr.utf8).span, separator: UInt8(ascii: ",")))
        writer.compact(KeyConfirmation.stored(confirmation))
        writer.compact(UInt32(audiences?.count ?? 0))
        for audience in audiences ?? [] { writer.compact(Self.escaped(audience)) }
        writer.raw(Self.members(of: claims))
        if let act { writer.raw(Array(",\"act\":".utf8) + act.serialized) }
        return writer.bytes
    }

    /// The claim `act`: each actor in the one that came after.
    var act: JSONValue? {
        actors.reversed().reduce(nil) { (earlier: JSONValue?, actor) in
            var act = JSONObject()
            act["sub"] = .string(actor.text)
            act["act"] = earlier
            return .object(act)
        }
    }

    private var flags: UInt8 {
        guard case .user(_, _, let grant, let owner, _, _) = subject else { return 0 }
        return Flags.isUser | (owner.emailVerified ? Flags.isVerified : 0) | (owner.username == nil ? 0 : Flags.hasName)
            | (grant == .first ? 0 : Flags.hasGrant)
    }

    /// A text as JSON has it, without the quotes.
    static func escaped(_ text: String) -> ArraySlice<UInt8> {
        JSONValue.string(text).serialized.dropFirst().dropLast()
    }

    /// Each with a comma before it.
    private static func members(of claims: JSONObject) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in claims.members where !CustomClaims.tokenNames.contains(member.key) {
            bytes.append(UInt8(ascii: ","))
            bytes += JSONValue.string(member.key).serialized
            bytes.append(UInt8(ascii: ":"))
            bytes += member.value.serialized
        }
        return bytes
    }
}
