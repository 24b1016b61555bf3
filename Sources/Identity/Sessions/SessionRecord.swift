import Text

/// A session as the Redis string `session:{<sid>}`: packed, since there are millions.
///
/// | bytes | of a session that lives |
/// | --- | --- |
/// | 1 | 1 |
/// | 16, 16 | the user's id, the salt |
/// | 6 each | created, authenticated, absolute end, last use: milliseconds since 1970, by Redis's clock |
/// | 2 + n | what never changes: client, methods, provider, network, device, and the claims of its own, if there are any |
/// | 2 + n | what tokens say of the user (`SessionOwner`) |
/// | 1 + n | the cookie: idle life in milliseconds (6; zero for the session's), then its own salt (16) once it has been changed; empty for none |
/// | 2 + n | access tokens that may be live, at most `SessionScript.inlineCount`, 32 bytes each: hash (18), expiry (6), generation (4), grant (4) |
/// | 2 + n for each | the grants |
///
/// A grant: number (4), mode (1: 0 without refresh tokens, 1 rotating, 2 static), generation (4), parent (4; 0 for none), rotated (6), hash of the
/// access token of the last rotation that may be repeated (1 + 18 or nothing); then what the scripts do not look at; then, of one that is bound to no
/// key, `budgetMark` (1) and when its budget of refreshes will be free again, in microseconds (7), once it has been used.
///
/// A tombstone has 2 for the first byte, user and salt (zeros if unknown), since when its event may be missing (6; 0 if it is not), the
/// reason (1 + n), and the access tokens of the session.
///
/// Until the end is finished, the record as it was is in `session:{<sid>}:ended`: whoever finishes it tells the clients of the grants.
///
/// The access tokens beyond those few are in the sorted set `session:{<sid>}:tokens` by expiry, in the same slot; a member is hash, generation and
/// grant. So what a refresh reads and writes does not grow with their number.
package enum SessionRecord: Sendable {
    case live(Session)
    case ended(SessionTombstone)
    case missing
    /// Something is there that we did not write.
    case malformed

    static let prefix = "session:{"
    static let liveMark: UInt8 = 1
    static let tombstoneMark: UInt8 = 2
    /// Of an access token in the list of a session.
    static let listedTokenLength = 32
    /// How much of a record says whether it lives, and whose it is.
    static let headLength = 17

    package static func key(_ id: SessionID) -> String {
        "\(prefix)\(id.text)}"
    }

    /// The session whose record is under a key; nil for any other key.
    static func id(ofKey key: String) -> SessionID? {
        guard key.hasPrefix(prefix), key.hasSuffix("}") else { return nil }
        return SessionID(String(key.dropFirst(prefix.count).dropLast()))
    }

    /// The key of the access tokens for which the record has no room.
    package static func tokensKey(_ id: SessionID) -> String {
        "\(key(id)):tokens"
    }

    /// The key of what a session was whose end is not finished.
    static func endedKey(_ id: SessionID) -> String {
        "\(key(id))\(SessionScript.endedSuffix)"
    }

    /// - Parameter lead: how much the clock by which instants are told is ahead of this copy's.
    package init(_ id: SessionID, _ bytes: [UInt8]?, lead: Duration = .zero) {
        guard let bytes else {
            self = .missing
            return
        }
        switch bytes.first {
        case Self.liveMark: self = Session(id, packed: bytes, lead: lead).map { .live($0) } ?? .malformed
        case Self.tombstoneMark: self = SessionTombstone(packed: bytes).map { .ended($0) } ?? .malformed
        default: self = .malformed
        }
    }

    /// The record of a new session.
    /// - Parameter accessToken: its first, issued in its first grant.
    static func bytes(of session: Session, accessToken: IssuedAccessToken?) -> [UInt8] {
        var writer = PackedWriter()
        writer.number(liveMark, 1)
        writer.raw(session.userID.uuid.bytes)
        writer.raw(session.salt.bytes)
        for instant in [session.createdAt, session.authenticatedAt, session.absoluteEnd, session.lastUsedAt] {
            writer.number(instant.milliseconds, 6)
        }
        writer.block(session.packedDetails, lengthSize: 2)
        writer.block(session.owner.packed, lengthSize: 2)
        writer.block(session.packedCookie, lengthSize: 1)
        let token = accessToken.map { $0.packed(generation: session.grants.first?.generation ?? 0, grant: .first) }
        writer.block(token ?? [], lengthSize: 2)
        for grant in session.grants { writer.block(grant.packed(in: session.clientID), lengthSize: 2) }
        return writer.bytes
    }

    /// What takes the place of a session that ends.
    /// - Parameter time: of the end, for whoever puts it on record.
    static func tombstone(of session: Session, reason: SessionEnd, at time: Timestamp) -> [UInt8] {
        var writer = PackedWriter()
        writer.number(tombstoneMark, 1)
        writer.raw(session.userID.uuid.bytes)
        writer.raw(session.salt.bytes)
        writer.number(time.milliseconds, 6)
        writer.text(reason.rawValue, lengthSize: 1)
        writer.raw(session.tokenList)
        return writer.bytes
    }

    /// Whose a record is, by its head; nil for a tombstone and for none.
    static func owner(ofHead head: [UInt8]) -> UserID? {
        guard head.count == headLength, head.first == liveMark else { return nil }
        return UUID(bytes: Array(head.dropFirst())).map { UserID($0) }
    }
}

extension Session {
    /// Access tokens that it had when it was read; there may be more.
    var listedTokens: [AccessTokenHash] {
        tokenOffsets.compactMap { AccessTokenHash(bytes: Array(tokenList[$0..<$0 + AccessTokenHash.byteCount])) }
    }

    /// How long its tombstone is to live: until the last of these has expired.
    func tombstoneLife(at now: Timestamp) -> Duration {
        let ends = tokenOffsets.map { offset in
            var reader = PackedReader(tokenList, at: offset + AccessTokenHash.byteCount)
            return Int64(reader.number(6)) + Int64(SessionScript.listingMargin) - now.milliseconds
        }
        return max(SessionTombstone.standardLife, .milliseconds(ends.max() ?? 0))
    }

    private var tokenOffsets: StrideTo<Int> {
        let length = SessionRecord.listedTokenLength
        return stride(from: 0, to: tokenList.count - length + 1, by: length)
    }
}

extension IssuedAccessToken {
    /// As a session lists it.
    func packed(generation: UInt32, grant: GrantID) -> [UInt8] {
        var writer = PackedWriter(capacity: SessionRecord.listedTokenLength)
        writer.raw(hash.bytes)
        writer.number(expiresAt.milliseconds, 6)
        writer.number(generation, 4)
        writer.number(grant.number, 4)
        return writer.bytes
    }
}

extension Session {
    fileprivate var packedDetails: [UInt8] {
        var writer = PackedWriter(capacity: 128)
        writer.text(clientID.text, lengthSize: 1)
        writer.text(methods.stored, lengthSize: 1)
        writer.text(provider?.text ?? "", lengthSize: 1)
        writer.block(network?.packed ?? [], lengthSize: 1)
        writer.text(device.text, lengthSize: 2)
        if !ownClaims.isEmpty { writer.raw(JSONValue.object(ownClaims).serialized) }
        return writer.bytes
    }

    fileprivate var packedCookie: [UInt8] {
        guard let cookie else { return [] }
        return SessionScript.cookie(idle: cookie.idleLife, salt: cookie.salt)
    }

    fileprivate init?(_ id: SessionID, packed bytes: [UInt8], lead: Duration) {
        var reader = PackedReader(bytes, at: 1)
        let (user, salt) = (Array(reader.raw(16)), Array(reader.raw(SessionSalt.byteCount)))
        let instants = (0..<4).map { _ in Timestamp(milliseconds: Int64(reader.number(6))) }
        let packedDetails = Array(reader.block(lengthSize: 2))
        var details = PackedReader(packedDetails)
        let owner = SessionOwner(packed: Array(reader.block(lengthSize: 2)))
        let cookie = Array(reader.block(lengthSize: 1))
        let tokens = Array(reader.block(lengthSize: 2))
        let clientText = details.text(lengthSize: 1)
        let methods = Set<AuthenticationMethod>(stored: details.text(lengthSize: 1))
        let provider = details.text(lengthSize: 1)
        let network = NetworkPrefix(packed: Array(details.block(lengthSize: 1)))
        let device = details.text(lengthSize: 2)
        guard reader.isIntact, details.isIntact, let uuid = UUID(bytes: user), let owner, let clientID = ClientID(clientText)
        else { return nil }
        var ownClaims = JSONObject()
        if !details.isAtEnd {
            guard let read = try? JSON.parse(Array(packedDetails[details.position...])).objectValue else { return nil }
            ownClaims = read
        }
        var grants: [Grant] = []
        while reader.isIntact, !reader.isAtEnd {
            guard let grant = Grant(packed: Array(reader.block(lengthSize: 2)), in: clientID) else { return nil }
            grants.append(grant)
        }
        guard reader.isIntact else { return nil }
        self.init(
            id: id, userID: UserID(uuid), owner: owner, clientID: clientID, methods: methods,
            provider: ProviderID(provider), device: DeviceDescription(device),
            network: network, createdAt: instants[0], authenticatedAt: instants[1],
            absoluteEnd: instants[2], lastUsedAt: instants[3], salt: SessionSalt(random: salt), cookie: Cookie(packed: cookie),
            grants: grants, ownClaims: ownClaims, tokenList: tokens, record: bytes, clockLead: lead)
    }
}

extension Session.Cookie {
    fileprivate init?(packed bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        var reader = PackedReader(bytes)
        let idle = reader.number(6)
        let salt = Array(reader.raw(reader.isAtEnd ? 0 : SessionSalt.byteCount))
        self.init(
            idleLife: idle == 0 ? nil : .milliseconds(Int64(idle)),
            salt: salt.count == SessionSalt.byteCount ? SessionSalt(random: salt) : nil)
    }
}

extension Grant {
    private static let hasScopes: UInt8 = 1
    private static let hasAudiences: UInt8 = 2
    /// No text has this byte, and no key begins with it.
    static let budgetMark: UInt8 = 0xff

    /// Of the refresh token that is expected next; zero where there are none.
    var generation: UInt32 { refresh?.generation ?? 0 }

    private var packedMode: UInt8 {
        switch refresh?.mode {
        case nil: 0
        case .rotating?: 1
        case .static?: 2
        }
    }

    /// - Parameter client: of its session, which is not named again.
    func packed(in client: ClientID) -> [UInt8] {
        var writer = PackedWriter(capacity: 64)
        writer.number(id.number, 4)
        writer.number(packedMode, 1)
        writer.number(generation, 4)
        writer.number(refresh?.lastStep?.parent ?? 0, 4)
        writer.number(refresh?.lastStep?.at.milliseconds ?? 0, 6)
        writer.block([], lengthSize: 1)
        writer.text(clientID == client ? "" : clientID.text, lengthSize: 1)
        writer.number((scopes == nil ? 0 : Self.hasScopes) | (audiences == nil ? 0 : Self.hasAudiences), 1)
        if let scopes { writer.text(scopes.joined(separator: " "), lengthSize: 2) }
        if let audiences {
            writer.number(audiences.count, 1)
            for audience in audiences { writer.text(audience, lengthSize: 2) }
        }
        writer.raw(KeyConfirmation.stored(confirmation))
        return writer.bytes
    }

    init?(packed bytes: [UInt8], in client: ClientID) {
        var reader = PackedReader(bytes)
        let id = GrantID(UInt32(truncatingIfNeeded: reader.number(4)))
        let mode = reader.number(1)
        let generation = UInt32(truncatingIfNeeded: reader.number(4))
        let parent = UInt32(truncatingIfNeeded: reader.number(4))
        let rotated = Timestamp(milliseconds: Int64(reader.number(6)))
        _ = reader.block(lengthSize: 1)
        let clientText = reader.text(lengthSize: 1)
        let flags = UInt8(truncatingIfNeeded: reader.number(1))
        var scopes: [String]?
        if flags & Self.hasScopes != 0 { scopes = reader.text(lengthSize: 2).split(separator: " ").map { String($0) } }
        var audiences: [String]?
        if flags & Self.hasAudiences != 0 { audiences = (0..<reader.number(1)).map { _ in reader.text(lengthSize: 2) } }
        guard reader.isIntact, mode <= 2, let clientID = clientText.isEmpty ? client : ClientID(clientText) else { return nil }
        let step = parent == 0 ? nil : RefreshRotation.Step(parent: parent, at: rotated)
        self.init(
            id: id, clientID: clientID, scopes: scopes, audiences: audiences,
            refresh: mode == 0
                ? nil : RefreshRotation(mode: mode == 1 ? .rotating : .static, generation: generation, lastStep: step),
            confirmation: KeyConfirmation(stored: bytes[reader.position...]))
    }
}
