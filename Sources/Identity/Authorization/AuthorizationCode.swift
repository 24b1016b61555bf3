import Crypto
package import Redis
package import Text

/// An authorization code (RFC 6749 §4.1.2): 256 random bits, of which only the SHA-256 is stored.
package struct AuthorizationCode: Sendable {
    package static let byteCount = 32

    package let text: SecretString

    /// `random` must be `byteCount` bytes from a secure source.
    package init(random: [UInt8]) {
        precondition(random.count == Self.byteCount, "an authorization code is 32 bytes")
        text = SecretString(Base64URL.encode(random))
    }

    /// What somebody presents; nil for what cannot be a code.
    package init?(_ text: SecretString) {
        guard text.byteCount == 43, Base64URL.decode(text.revealedText) != nil else { return nil }
        self.text = text
    }

    var key: String {
        "authcode:" + SHA256.hash(text.revealedText).hex
    }
}

/// What a code was given out for. All of it binds whoever redeems it.
package struct AuthorizedRequest: Equatable, Sendable {
    package let clientID: ClientID
    package let redirectURI: String
    package let challenge: PKCEChallenge?
    package let userID: UserID
    /// The browser's session, or the one that an app's own screens have made.
    package let sessionID: SessionID
    package private(set) var scopes: [String]
    package private(set) var resources: [String]
    package let nonce: String?
    package let idTokenClaims: [String]
    package let userInfoClaims: [String]
    package let dpopThumbprint: String?
    /// When the user agreed; nil in codes of earlier versions.
    package let agreedAt: Timestamp?

    package init(
        clientID: ClientID, redirectURI: String, challenge: PKCEChallenge?, userID: UserID, sessionID: SessionID,
        scopes: [String], resources: [String], nonce: String?, idTokenClaims: [String],
        userInfoClaims: [String], dpopThumbprint: String?, agreedAt: Timestamp?
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.userID = userID
        self.sessionID = sessionID
        self.scopes = scopes
        self.resources = resources
        self.nonce = nonce
        self.idTokenClaims = idTokenClaims
        self.userInfoClaims = userInfoClaims
        self.dpopThumbprint = dpopThumbprint
        self.agreedAt = agreedAt
    }
}

extension AuthorizedRequest {
    /// Whether it was made on the screens of a first-party app: nobody was redirected.
    package var isOfOwnScreens: Bool { redirectURI.isEmpty }

    /// What is left of it for its client as that is registered now.
    package func within(_ client: Client) -> AuthorizedRequest {
        var rest = self
        rest.scopes = scopes.filter { client.mayHave(scope: $0) }
        rest.resources = resources.filter { resource in client.audiences.contains { $0.hasSameBytes(as: resource) } }
        return rest
    }

    var stored: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("client", clientID.text)
        writer.member("redirect", redirectURI)
        if let challenge { writer.member("challenge", challenge.text) }
        writer.member("user", userID.description)
        writer.member("session", sessionID.text)
        writer.member("scope", scopes.joined(separator: " "))
        writer.member("resources", resources)
        if let nonce { writer.member("nonce", nonce) }
        writer.member("id_token", idTokenClaims)
        writer.member("userinfo", userInfoClaims)
        if let dpopThumbprint { writer.member("jkt", dpopThumbprint) }
        if let agreedAt { writer.member("at", agreedAt.milliseconds) }
        writer.endObject()
        return writer.bytes
    }

    init?(stored bytes: [UInt8]) {
        func texts(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.stringValue) ?? [] }
        guard let value = try? JSON.parse(bytes), let clientID = value["client"]?.stringValue.flatMap({ ClientID($0) }),
            let redirectURI = value["redirect"]?.stringValue, let userID = value["user"]?.stringValue.flatMap({ UserID($0) }),
            let sessionID = value["session"]?.stringValue.flatMap({ SessionID($0) }), let scope = value["scope"]?.stringValue
        else { return nil }
        self.init(
            clientID: clientID, redirectURI: redirectURI,
            challenge: value["challenge"]?.stringValue.flatMap { PKCEChallenge($0) }, userID: userID, sessionID: sessionID,
            scopes: scope.split(separator: " ").map(String.init), resources: texts(value["resources"]),
            nonce: value["nonce"]?.stringValue,
            idTokenClaims: texts(value["id_token"]), userInfoClaims: texts(value["userinfo"]),
            dpopThumbprint: value["jkt"]?.stringValue,
            agreedAt: value["at"]?.integerValue.map { Timestamp(milliseconds: $0) })
    }
}

/// The codes that are out, in Redis: `authcode:<sha256>`. One script on one key redeems a code: of many at once one wins. A used code is remembered with
/// the grant that it led to, so that a second use can end that (RFC 6749 §4.1.2, RFC 9700 §4.13).
package struct AuthorizationCodeStore: Sendable {
    /// What presenting a code comes to.
    package enum Redemption: Sendable {
        case first(AuthorizedRequest)
        /// It has been used: a copy is about. Nil while the first use has not led to tokens yet.
        case again(AuthorizedRequest, GrantReference?)
        case unknown
    }

    /// The grant that a code has led to.
    package struct GrantReference: Equatable, Sendable {
        package let sessionID: SessionID
        package let grantID: GrantID

        package init(sessionID: SessionID, grantID: GrantID) {
            self.sessionID = sessionID
            self.grantID = grantID
        }
    }

    /// Keys: the code. Arguments: the request, the code's life in milliseconds.
    private static let store = RedisScript(
        name: "store_authorization_code",
        source: """
            redis.call('HSET', KEYS[1], 'request', ARGV[1])
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
            return 1
            """)

    /// Marks a code as used and returns what it was before: `{request}` the first time, `{request, grant}` after.
    /// Keys: the code. Arguments: how long a used code is remembered, in milliseconds.
    private static let redeem = RedisScript(
        name: "redeem_authorization_code",
        source: """
            local request = redis.call('HGET', KEYS[1], 'request')
            if not request then return {} end
            if redis.call('HSETNX', KEYS[1], 'used', '1') == 1 then
                redis.call('HSET', KEYS[1], 'rest', redis.call('PTTL', KEYS[1]))
                redis.call('PEXPIRE', KEYS[1], ARGV[1])
                return { request }
            end
            redis.call('HSET', KEYS[1], 'replayed', '1')
            return { request, redis.call('HGET', KEYS[1], 'grant') or '' }
            """)

    /// Notes the grant that a code has led to, if the code is still remembered and nobody has presented it again meanwhile.
    /// Returns 1, or 0 if the code came again: then the grant must end. Keys: the code. Arguments: the grant.
    private static let note = RedisScript(
        name: "note_authorization_grant",
        source: """
            if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
            redis.call('HSET', KEYS[1], 'grant', ARGV[1])
            if redis.call('HEXISTS', KEYS[1], 'replayed') == 1 then return 0 end
            return 1
            """)

    /// Makes a code good again that has led to nothing, unless somebody has presented it meanwhile; no longer than it would have been.
    /// Keys: the code. Arguments: how long a used code is remembered, in milliseconds.
    private static let giveBack = RedisScript(
        name: "give_back_authorization_code",
        source: """
            if redis.call('HEXISTS', KEYS[1], 'used') == 0 or redis.call('HEXISTS', KEYS[1], 'replayed') == 1 then return 0 end
            local passed = ARGV[1] - redis.call('PTTL', KEYS[1])
            redis.call('HDEL', KEYS[1], 'used', 'grant')
            -- What is over already is deleted by that.
            redis.call('PEXPIRE', KEYS[1], (redis.call('HGET', KEYS[1], 'rest') or 0) - passed)
            return 1
            """)

    private let redis: RedisConnection
    /// How long a code is good.
    private let life: Duration
    /// How long a used code is remembered.
    private let memory: Duration

    package init(redis: RedisConnection, life: Duration, memory: Duration) {
        self.redis = redis
        self.life = life
        self.memory = memory
    }

    /// Stores a new code.
    /// - Throws: the store's failure; the code is not to be given out then.
    package func issue(_ code: AuthorizationCode, for request: AuthorizedRequest) async throws(IdentityError) {
        _ = try await run(Self.store, code, [request.stored, Self.text(life.wholeMilliseconds)])
    }

    /// Uses a code up.
    /// - Throws: the store's failure; then the code may or may not be used up.
    package func redeem(_ code: AuthorizationCode) async throws(IdentityError) -> Redemption {
        let reply = try await run(Self.redeem, code, [Self.text(memory.wholeMilliseconds)])
        guard case .array(let parts) = reply else { throw .fault() }
        guard let first = parts.first else { return .unknown }
        guard case .bytes(let bytes) = first, let request = AuthorizedRequest(stored: bytes) else { throw .fault() }
        guard parts.count > 1 else { return .first(request) }
        return .again(request, parts[1].text.flatMap { GrantReference(stored: $0) })
    }

    /// Notes which grant a redeemed code has led to.
    /// - Returns: false when the code has been presented again meanwhile: then the grant must end.
    /// - Throws: the store's failure; then the grant must end, too.
    package func note(_ grant: GrantReference, of code: AuthorizationCode) async throws(IdentityError) -> Bool {
        try await run(Self.note, code, [Array(grant.stored.utf8)]).integerValue == 1
    }

    /// Makes a redeemed code good again, which has led to nothing because of an outage. If it fails, the user has to go the whole way once more.
    package func giveBack(_ code: AuthorizationCode) async {
        _ = try? await run(Self.giveBack, code, [Self.text(memory.wholeMilliseconds)])
    }

    private func run(
        _ script: RedisScript, _ code: AuthorizationCode, _ arguments: [[UInt8]]
    ) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.run(script, keys: [code.key], arguments: arguments) }
    }

    private static func text(_ number: Int64) -> [UInt8] {
        Array(String(max(1, number)).utf8)
    }
}

extension AuthorizationCodeStore.GrantReference {
    fileprivate var stored: String {
        "\(sessionID.text) \(grantID.number)"
    }

    fileprivate init?(stored text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let sessionID = SessionID(String(parts[0])), let number = UInt32(parts[1]) else { return nil }
        self.init(sessionID: sessionID, grantID: GrantID(number))
    }
}
