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
    /// How long an exchange may take. After that it leads to nothing, and its code is good for another: an outage may have let nobody give it back.
    package static let exchangeTime = Duration.seconds(3)

    /// What presenting a code comes to.
    package enum Redemption: Sendable {
        case first(AuthorizedRequest, RedeemedCode)
        /// It has been used: a copy is about. Nil while the first use has not led to tokens yet.
        case again(AuthorizedRequest, GrantReference?)
        case unknown
    }

    /// A code in the hands of who has redeemed it.
    package struct RedeemedCode: Sendable {
        fileprivate let code: AuthorizationCode
        /// When, in milliseconds: the next who redeems it does so at another time.
        fileprivate let time: Int64
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

    /// Marks a code as used and returns what it was before: `{request, time}` for who may go on, `{request, grant}` for who comes again.
    /// Keys: the code. Arguments: the time, how long a used code is remembered, how long an exchange may take, in milliseconds.
    private static let redeem = TimedScript(
        name: "redeem_authorization_code",
        source: """
            local request = redis.call('HGET', KEYS[1], 'request')
            if not request then return {} end
            local now, used = clock(ARGV[1]), redis.call('HGET', KEYS[1], 'used')
            if not used then
                redis.call('HSET', KEYS[1], 'used', now, 'rest', redis.call('PTTL', KEYS[1]))
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
                return { request, now }
            end
            local grant = redis.call('HGET', KEYS[1], 'grant')
            -- A copy of an earlier version has put down 1, and takes its time.
            local isOver = tonumber(used) > 1 and now - used > tonumber(ARGV[3])
            if isOver and not grant and redis.call('HEXISTS', KEYS[1], 'replayed') == 0 then
                local passed = ARGV[2] - redis.call('PTTL', KEYS[1])
                if passed >= tonumber(redis.call('HGET', KEYS[1], 'rest')) then return {} end
                redis.call('HSET', KEYS[1], 'used', now)
                return { request, now }
            end
            redis.call('HSET', KEYS[1], 'replayed', '1')
            return { request, grant or '' }
            """)

    /// Notes the grant that a code has led to. Returns 1; 0 if the code is not remembered or has come again: then the grant must end; 2 if that is too late.
    /// Keys: the code. Arguments: the time, how long an exchange may take, when the code was redeemed, in milliseconds; the grant.
    private static let note = TimedScript(
        name: "note_authorization_grant",
        source: """
            local used = redis.call('HGET', KEYS[1], 'used')
            if not used then return 0 end
            if used ~= ARGV[3] then return 2 end
            if redis.call('HEXISTS', KEYS[1], 'replayed') == 1 then
                redis.call('HSET', KEYS[1], 'grant', ARGV[4])
                return 0
            end
            if clock(ARGV[1]) - used > tonumber(ARGV[2]) then return 2 end
            redis.call('HSET', KEYS[1], 'grant', ARGV[4])
            return 1
            """)

    /// Makes a code good again that has led to nothing, unless somebody has presented it meanwhile; no longer than it would have been.
    /// Keys: the code. Arguments: how long a used code is remembered, when it was redeemed, in milliseconds.
    private static let giveBack = RedisScript(
        name: "give_back_authorization_code",
        source: """
            if redis.call('HGET', KEYS[1], 'used') ~= ARGV[2] or redis.call('HEXISTS', KEYS[1], 'replayed') == 1 then return 0 end
            local passed = ARGV[1] - redis.call('PTTL', KEYS[1])
            redis.call('HDEL', KEYS[1], 'used', 'grant')
            -- What is over already is deleted by that.
            redis.call('PEXPIRE', KEYS[1], (redis.call('HGET', KEYS[1], 'rest') or 0) - passed)
            return 1
            """)

    /// Leaves a redeemed code good for nobody. Keys: the code. Arguments: when it was redeemed, in milliseconds.
    private static let useUp = RedisScript(
        name: "use_up_authorization_code",
        source: """
            if redis.call('HGET', KEYS[1], 'used') == ARGV[1] then redis.call('HSET', KEYS[1], 'replayed', '1') end
            return 1
            """)

    private let redis: RedisConnection
    /// How long a code is good.
    private let life: Duration
    /// How long a used code is remembered.
    private let memory: Duration
    private let system: SystemContext

    package init(redis: RedisConnection, life: Duration, memory: Duration, system: SystemContext) {
        self.redis = redis
        self.life = life
        self.memory = memory
        self.system = system
    }

    /// Stores a new code.
    /// - Throws: the store's failure; the code is not to be given out then.
    package func issue(_ code: AuthorizationCode, for request: AuthorizedRequest) async throws(IdentityError) {
        _ = try await run(Self.store, code, [request.stored, Self.text(life.wholeMilliseconds)])
    }

    /// Uses a code up.
    /// - Throws: the store's failure; then it is good again after a while, if it has been used up.
    package func redeem(_ code: AuthorizationCode) async throws(IdentityError) -> Redemption {
        let times = [system.now().milliseconds, memory.wholeMilliseconds, Self.exchangeTime.wholeMilliseconds]
        let reply = try await run(Self.redeem[system.scriptClock], code, times.map(Self.text))
        guard case .array(let parts) = reply else { throw .fault() }
        guard let first = parts.first else { return .unknown }
        guard case .bytes(let bytes) = first, let request = AuthorizedRequest(stored: bytes), parts.count > 1 else {
            throw .fault()
        }
        if case .integer(let time) = parts[1] { return .first(request, RedeemedCode(code: code, time: time)) }
        return .again(request, parts[1].text.flatMap { GrantReference(stored: $0) })
    }

    /// Notes which grant a redeemed code has led to.
    /// - Returns: false when the code has been presented again meanwhile: then the grant must end.
    /// - Throws: the store's failure, `unavailable` when the exchange has taken too long; then the grant must end, too.
    package func note(_ grant: GrantReference, of redeemed: RedeemedCode) async throws(IdentityError) -> Bool {
        let times = [system.now().milliseconds, Self.exchangeTime.wholeMilliseconds, redeemed.time]
        let reply = try await run(
            Self.note[system.scriptClock], redeemed.code, times.map(Self.text) + [Array(grant.stored.utf8)])
        switch reply.integerValue {
        case 0: return false
        case 1: return true
        default: throw .unavailable(retryAfter: .seconds(1))
        }
    }

    /// Makes a redeemed code good again at once, which has led to nothing because of an outage. If that fails, it takes until the exchange is over.
    package func giveBack(_ redeemed: RedeemedCode) async {
        let times = [memory.wholeMilliseconds, redeemed.time]
        _ = try? await run(Self.giveBack, redeemed.code, times.map(Self.text))
    }

    /// Leaves a code that was redeemed wrongly good for nobody, also when the exchange is over.
    package func useUp(_ redeemed: RedeemedCode) async {
        _ = try? await run(Self.useUp, redeemed.code, [Self.text(redeemed.time)])
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
