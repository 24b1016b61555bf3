import Crypto
package import Text

/// What is the same for all access tokens of an installation, so that no record of one has to say it.
package struct Installation: Equatable, Sendable {
    /// The `iss` of its tokens.
    package let issuer: String
    /// Whom its tokens are for, unless a client's are for others.
    package let audience: String
    /// By which a record is known to be of this installation, as it is configured now.
    let mark: [UInt8]

    package static let userInfoPath = "/oauth2/userinfo"
    /// Whom the tokens are for that are good for UserInfo alone.
    package var userInfoAudience: String { issuer + Self.userInfoPath }

    static let markLength = 4

    package init(issuer: String, audience: String) {
        self.issuer = issuer
        self.audience = audience
        mark = Array(SHA256.hash("\(issuer)\0\(audience)").bytes.prefix(Self.markLength))
    }
}

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

/// Where what is in a stored record of an access token. The texts are as JSON has them, `scope` and `methods` shortened by `CommonWords`.
struct StoredAccessToken {
    let bytes: [UInt8]
    let flags: UInt8
    let tokenID: Range<Int>
    let issuedAt: UInt32
    let expiresAt: UInt32
    /// Of a user's.
    let userID: Range<Int>
    let sessionID: Range<Int>
    let grant: UInt32
    let authenticatedAt: UInt32
    let client: Range<Int>
    let username: Range<Int>
    let scope: Range<Int>
    let methods: Range<Int>
    let confirmation: Range<Int>
    let audienceCount: Int
    /// The first of them, behind its length.
    let audiences: Int
    /// Further members, each with a comma before it.
    let members: Range<Int>

    var isUser: Bool { flags & AccessTokenRecord.Flags.isUser != 0 }

    /// What it is good for in full, with blanks between.
    var scopes: ArraySlice<UInt8> {
        var text: [UInt8] = []
        text.append(words: bytes[scope])
        return text[...]
    }

    /// Nil for what is no record of this version and this installation. It takes no memory.
    init?(_ bytes: [UInt8], in installation: Installation) {
        var position = 0
        var isIntact = true
        func take(_ count: Int) -> Range<Int> {
            guard isIntact, count <= bytes.count - position else {
                isIntact = false
                return 0..<0
            }
            position += count
            return position - count..<position
        }
        func number(_ size: Int) -> UInt32 {
            var number: UInt32 = 0
            for index in take(size) { number = number << 8 | UInt32(bytes[index]) }
            return number
        }
        func compact() -> UInt32 {
            var number: UInt32 = 0
            while isIntact, position < bytes.count {
                let byte = bytes[position]
                position += 1
                number = number << 7 | UInt32(byte & 0x7f)
                if byte < 0x80 { return number }
            }
            isIntact = false
            return 0
        }
        func block() -> Range<Int> { take(Int(compact())) }
        guard number(1) == AccessTokenRecord.version else { return nil }
        flags = UInt8(truncatingIfNeeded: number(1))
        let mark = take(Installation.markLength)
        tokenID = take(16)
        issuedAt = number(4)
        expiresAt = issuedAt &+ compact()
        let isUser = flags & AccessTokenRecord.Flags.isUser != 0
        userID = take(isUser ? 16 : 0)
        sessionID = take(isUser ? SessionID.byteCount : 0)
        grant = flags & AccessTokenRecord.Flags.hasGrant != 0 ? number(4) : 0
        authenticatedAt = isUser ? issuedAt &- compact() : 0
        client = block()
        username = block()
        scope = block()
        methods = block()
        confirmation = block()
        audienceCount = Int(compact())
        audiences = position
        var seen = 0
        while isIntact, seen < audienceCount {
            _ = block()
            seen += 1
        }
        guard isIntact else { return nil }
        for (index, byte) in zip(mark, installation.mark) where bytes[index] != byte { return nil }
        members = position..<bytes.count
        self.bytes = bytes
    }

    /// Calls `body` with where each audience is; none where it is the installation's own.
    func forEachAudience(_ body: (Range<Int>) -> Void) {
        var position = audiences
        for _ in 0..<audienceCount { body(audience(at: &position)) }
    }

    /// Where an audience is whose length is at a position, which is behind it afterwards.
    func audience(at position: inout Int) -> Range<Int> {
        var length = 0
        var isLast = false
        while !isLast {
            length = length << 7 | Int(bytes[position] & 0x7f)
            isLast = bytes[position] < 0x80
            position += 1
        }
        position += length
        return position - length..<position
    }
}

/// What tokens and introspection say of the user of a session, without a look-up. It is what held when the session began, or when it was last
/// brought up to date (`Sessions.update(_:of:)`).
package struct SessionOwner: Equatable, Sendable {
    /// The e-mail address, as typed; nil where there is none.
    package let username: String?
    /// Whether that address is known to be the user's.
    package let emailVerified: Bool
    /// What an operator has given to the user, for access tokens (RFC 9068 §2.2.3.1).
    package let claims: JSONObject

    package init(username: String?, emailVerified: Bool, claims: JSONObject = JSONObject()) {
        self.username = username
        self.emailVerified = emailVerified
        self.claims = claims
    }

    package init(_ user: User) {
        var claims = user.claims
        // Only what an operator has said of the roles counts: an admin API may set any other claim.
        claims["roles"] = user.roles.isEmpty ? nil : .array(user.roles.map { .string($0) })
        // Another name of `sub` in our tokens.
        claims["userId"] = nil
        self.init(username: user.email?.typed, emailVerified: user.emailVerified, claims: claims)
    }
}
