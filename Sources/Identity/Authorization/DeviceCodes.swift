import Crypto
package import Redis
package import Text

/// What a device has asked for, and somebody is to decide on another one (RFC 8628).
package struct DeviceRequest: Equatable, Sendable {
    package let clientID: ClientID
    package let scopes: [String]
    package let resources: [String]
    /// The key that the tokens are to be bound to.
    package let dpopThumbprint: String?

    package init(clientID: ClientID, scopes: [String], resources: [String], dpopThumbprint: String?) {
        self.clientID = clientID
        self.scopes = scopes
        self.resources = resources
        self.dpopThumbprint = dpopThumbprint
    }
}

/// What the user types on another device: eight consonants, which make no words and are not taken for digits (RFC 8628 §6.1).
package struct UserCode: Hashable, Sendable, CustomStringConvertible {
    static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    static let length = 8
    package static let randomByteCount = 16

    /// Without the hyphen, in upper case.
    package let text: String

    /// `random` must be `randomByteCount` bytes from a secure source: two for each letter, so that all are as good as equally likely.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a user code is made of 16 bytes")
        text = String(
            decoding: stride(from: 0, to: random.count, by: 2).map {
                Self.alphabet[(Int(random[$0]) << 8 | Int(random[$0 + 1])) % Self.alphabet.count]
            }, as: UTF8.self)
    }

    /// What somebody has typed: in any case, with whatever stands between the letters; nil for what cannot be a code.
    package init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.uppercased().utf8.filter {
            $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ".")
        }
        guard letters.count == Self.length, letters.allSatisfy({ Self.alphabet.contains($0) }) else { return nil }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// As it is shown: `BCDF-GHJK`.
    package var description: String {
        "\(text.prefix(4))-\(text.suffix(4))"
    }
}

/// The device codes that are out, in Redis: `device:<sha256>` is what a device has asked for and what became of it, `device-user:<code>` leads
/// from what the user types to it. Each command touches one key only.
package struct DeviceCodes: Sendable {
    package static let randomByteCount = 32
    /// How long a device has to wait between two questions.
    package static let interval = Duration.seconds(5)

    /// What a device gets.
    package struct Issued: Sendable {
        package let deviceCode: SecretString
        package let userCode: UserCode
        package let life: Duration
    }

    /// What somebody has decided.
    package enum Decision: Sendable {
        case approved(UserID, SessionID)
        case denied(UserID, SessionID)

        /// Which one it is and whose: two are the same if this is.
        fileprivate var text: String {
            switch self {
            case .approved(let userID, let sessionID): "approved \(userID) \(sessionID)"
            case .denied(let userID, let sessionID): "denied \(userID) \(sessionID)"
            }
        }
    }

    /// What a device is told.
    package enum Answer: Sendable {
        case pending
        case tooSoon
        case denied
        /// With the time when it was; nil where an earlier version wrote it down.
        case approved(DeviceRequest, UserID, SessionID, at: Timestamp?)
        case expired
        /// It is another client's, has been used, or is none at all.
        case void
    }

    private let redis: RedisConnection
    private let sessions: Sessions
    private let limiter: Limiter
    private let system: SystemContext
    package let life: Duration
    /// How long after its end a code is remembered, so that its device is told what has become of it.
    private static let memory = Duration.seconds(600)

    package init(redis: RedisConnection, sessions: Sessions, limiter: Limiter, system: SystemContext, life: Duration) {
        self.redis = redis
        self.sessions = sessions
        self.limiter = limiter
        self.system = system
        self.life = life
    }

    /// - Throws: the store's failure.
    package func issue(_ request: DeviceRequest) async throws(IdentityError) -> Issued {
        let code = Base64URL.encode(system.random(Self.randomByteCount))
        let userCode = UserCode(random: system.random(UserCode.randomByteCount))
        let milliseconds = max(1, life.wholeMilliseconds)
        let numbers = [milliseconds, system.now().milliseconds].map { Array(String($0).utf8) }
        _ = try await run(Self.store[system.scriptClock], Self.key(code), [request.stored] + numbers)
        // A user code that is out already stays what it is: its device asks once more.
        var command = RedisCommand("SET", Self.key(userCode), Self.key(code), "NX", "PX")
        command.append(milliseconds)
        guard case .status = try await send(command) else { throw .unavailable(retryAfter: .seconds(1)) }
        return Issued(deviceCode: SecretString(code), userCode: userCode, life: life)
    }

    /// What a device has asked for that shows this user code; nil when there is none that still waits. Counts as a code that is presented.
    /// - Throws: `IdentityError.tooManyRequests`, the store's failure.
    package func lookup(_ userCode: UserCode, caller: Caller) async throws(IdentityError) -> DeviceRequest? {
        try await limiter.take(.code(account: nil, caller), caller)
        guard let key = try await send(RedisCommand("GET", Self.key(userCode))).text,
            case .array(let parts) = try await send(RedisCommand("HMGET", key, "request", "state")), parts.count == 2,
            case .bytes(let bytes) = parts[0], parts[1] == .null
        else { return nil }
        guard let request = DeviceRequest(stored: bytes) else { throw .fault() }
        return request
    }

    /// Puts down what the user has decided. The code that was typed is good for nothing else after that.
    /// - Returns: false when nothing waits under this code any more, unless the same was decided in the same session.
    /// - Throws: the store's failure; the call may be repeated.
    package func decide(_ userCode: UserCode, _ decision: Decision, caller: Caller) async throws(IdentityError) -> Bool {
        guard let key = try await send(RedisCommand("GET", Self.key(userCode))).text else { return false }
        let state: String
        switch decision {
        case .approved(let userID, let sessionID): state = "\(userID) \(sessionID)"
        case .denied: state = "denied"
        }
        let arguments = [state, String(system.now().milliseconds), decision.text].map { Array($0.utf8) }
        switch try await run(Self.decide, key, arguments).integerValue {
        case 1: break
        case 2: return true
        default: return false
        }
        let (kind, userID, sessionID): (AuditKind, UserID, SessionID) =
            switch decision {
            case .approved(let userID, let sessionID): (.deviceApproved, userID, sessionID)
            case .denied(let userID, let sessionID): (.deviceDenied, userID, sessionID)
            }
        await sessions.note(kind, sessionID, of: userID, client: nil, by: .user(userID), caller)
        return true
    }

    /// Whether this is what was decided, in the same session: then a form has come twice.
    /// - Throws: the store's failure.
    package func isDecided(_ userCode: UserCode, _ decision: Decision) async throws(IdentityError) -> Bool {
        guard let key = try await send(RedisCommand("GET", Self.key(userCode))).text else { return false }
        return try await send(RedisCommand("HGET", key, "by")).text == decision.text
    }

    /// What a device is told that asks whether somebody has decided. A code that leads to tokens is used up by `finish`.
    /// - Throws: the store's failure.
    package func poll(_ code: SecretString, by client: ClientID) async throws(IdentityError) -> Answer {
        guard code.byteCount == 43, Base64URL.decode(code.revealedText) != nil else { return .void }
        let arguments = [Array(String(system.now().milliseconds).utf8), Array(client.text.utf8)]
        let reply = try await run(Self.poll[system.scriptClock], Self.key(code.revealedText), arguments)
        guard case .array(let parts) = reply, let word = parts.first?.text else { throw .fault() }
        switch word {
        case "pending": return .pending
        case "slow": return .tooSoon
        case "denied": return .denied
        case "expired": return .expired
        case "void": return .void
        default:
            let names = word.split(separator: " ")
            guard parts.count == 3, case .bytes(let bytes) = parts[1], let request = DeviceRequest(stored: bytes),
                names.count == 2,
                let userID = UserID(names[0]), let sessionID = SessionID(names[1])
            else { throw .fault() }
            let time = parts[2].text.flatMap { Int64($0) }
            return .approved(request, userID, sessionID, at: time.map { Timestamp(milliseconds: $0) })
        }
    }

    /// Uses the code up that has led to tokens.
    /// - Returns: whether nobody has before: else these tokens are not to be given out.
    /// - Throws: the store's failure.
    package func finish(_ code: SecretString) async throws(IdentityError) -> Bool {
        try await run(Self.finish, Self.key(code.revealedText), []).integerValue == 1
    }

    /// Keys: the device code. Arguments: the request, its life and the caller's `now` in milliseconds.
    private static let store = TimedScript(
        name: "store_device_code",
        source: """
            local ends = string.format('%.0f', clock(ARGV[3]) + ARGV[2])
            redis.call('HSET', KEYS[1], 'request', ARGV[1], 'client', cjson.decode(ARGV[1])['client'], 'ends', ends)
            redis.call('PEXPIRE', KEYS[1], ARGV[2] + \(memory.wholeMilliseconds))
            return 1
            """)

    /// Keys: the device code. Returns 1, or 0 when somebody has been faster.
    private static let finish = RedisScript(
        name: "finish_device_code",
        source: """
            local state = redis.call('HGET', KEYS[1], 'state')
            if not state or state == 'used' then return 0 end
            redis.call('HSET', KEYS[1], 'state', 'used')
            return 1
            """)

    /// Keys: the device code. Arguments: the decision, the time, the decision with whose it is. Returns 1; 2 when the same has decided the same
    /// before; 0 when there is nothing to decide.
    private static let decide = RedisScript(
        name: "decide_device_code",
        source: """
            if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
            if redis.call('HSETNX', KEYS[1], 'state', ARGV[1]) == 0 then
                return redis.call('HGET', KEYS[1], 'by') == ARGV[3] and 2 or 0
            end
            redis.call('HSET', KEYS[1], 'decided', ARGV[2], 'by', ARGV[3])
            return 1
            """)

    /// Keys: the device code. Arguments: the caller's `now` in milliseconds, the client.
    ///
    /// Who asks sooner than the interval is told so, and has five seconds more to wait from then on (RFC 8628 §3.5).
    private static let poll = TimedScript(
        name: "poll_device_code",
        source: """
            local found = redis.call('HMGET', KEYS[1], 'request', 'client', 'state', 'last', 'interval', 'ends', 'decided')
            if found[2] ~= ARGV[2] or found[3] == 'used' then return { 'void' } end
            if found[3] == 'denied' then return { 'denied' } end
            local now, interval = clock(ARGV[1]), tonumber(found[5] or \(DeviceCodes.interval.wholeMilliseconds))
            if now >= tonumber(found[6] or now + 1) then return { 'expired' } end
            if found[3] then return { found[3], found[1], found[7] or '' } end
            local last = tonumber(found[4])
            redis.call('HSET', KEYS[1], 'last', string.format('%.0f', now))
            if last and now - last < interval then
                redis.call('HSET', KEYS[1], 'interval', string.format('%.0f', interval + 5000))
                return { 'slow' }
            end
            return { 'pending' }
            """)

    private func run(_ script: RedisScript, _ key: String, _ arguments: [[UInt8]]) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.run(script, keys: [key], arguments: arguments) }
    }

    private func send(_ command: RedisCommand) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ code: String) -> String {
        "device:" + SHA256.hash(code).hex
    }

    private static func key(_ code: UserCode) -> String {
        "device-user:" + code.text
    }
}

extension DeviceRequest {
    fileprivate var stored: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("client", clientID.text)
        writer.member("scopes", scopes)
        writer.member("resources", resources)
        if let dpopThumbprint { writer.member("jkt", dpopThumbprint) }
        writer.endObject()
        return writer.bytes
    }

    fileprivate init?(stored bytes: [UInt8]) {
        guard let value = try? JSON.parse(bytes), let clientID = value["client"]?.stringValue.flatMap({ ClientID($0) }) else {
            return nil
        }
        self.init(
            clientID: clientID, scopes: value["scopes"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            resources: value["resources"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            dpopThumbprint: value["jkt"]?.stringValue)
    }
}
