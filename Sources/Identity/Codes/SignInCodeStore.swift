import Crypto
import Networking
import Redis
import Text

/// The short codes that were mailed for sign-ins, in Redis: `code:typed:<SHA-256>`, by the place where each was asked for. That place is 256 random
/// bits that only who has asked has, so that nobody finds a short code out by what is stored.
struct SignInCodeStore: Sendable {
    /// What a code is good for.
    struct Grant: Equatable, Sendable {
        let userID: UserID
        /// The normalised address that it was sent to.
        let email: String
        /// The code is void once the user has other credentials.
        let credentialsVersion: Int64
    }

    /// What a code granted, and until when it would have been good.
    struct Taken: Sendable {
        let grant: Grant
        let end: Instant
    }

    /// How often something may be typed in a place.
    static let tries = 5

    /// Key: the place. Arguments: the digest of the code, what it grants, how long it is good in milliseconds.
    private static let keeping = RedisScript(
        name: "keep_sign_in_code",
        source: """
            redis.call('DEL', KEYS[1])
            redis.call('HSET', KEYS[1], 'code', ARGV[1], 'grant', ARGV[2], 'tries', 0)
            redis.call('PEXPIRE', KEYS[1], ARGV[3])
            return 1
            """)

    /// Key: the place. Arguments: the digest of what was typed, how often something may be. Each time counts before it is compared; of several
    /// right ones at once one gets the grant.
    private static let taking = RedisScript(
        name: "take_sign_in_code",
        source: """
            local code = redis.call('HGET', KEYS[1], 'code')
            if not code then return false end
            if redis.call('HINCRBY', KEYS[1], 'tries', 1) > tonumber(ARGV[2]) then
                redis.call('DEL', KEYS[1])
                return false
            end
            if code ~= ARGV[1] then return false end
            local taken = {redis.call('HGET', KEYS[1], 'grant'), redis.call('PTTL', KEYS[1])}
            redis.call('DEL', KEYS[1])
            return taken
            """)

    let redis: RedisConnection

    /// Makes a code good in a place.
    /// - Throws: the store's failure; the code is not to be given out then.
    func keep(_ typed: String, _ grant: Grant, in place: OneTimeCode, life: Duration) async throws(IdentityError) {
        let arguments = [Self.digest(typed, place), grant.stored, Array(String(max(1, life.wholeMilliseconds)).utf8)]
        _ = try await run(Self.keeping, place, arguments)
    }

    /// What a code grants, for the last time.
    /// - Throws: `IdentityError.invalidCode` for another one, and after too many tries; the store's failure.
    func take(_ typed: String, in place: OneTimeCode) async throws(IdentityError) -> Taken {
        let arguments = [Self.digest(typed, place), Array(String(Self.tries).utf8)]
        let asked = Instant.now()
        guard case .array(let taken) = try await run(Self.taking, place, arguments) else { throw .invalidCode }
        guard taken.count == 2, case .bytes(let bytes) = taken[0], let grant = Grant(stored: bytes),
            let rest = taken[1].integerValue
        else { throw .fault() }
        return Taken(grant: grant, end: asked + .milliseconds(rest))
    }

    private func run(
        _ script: RedisScript, _ place: OneTimeCode, _ arguments: [[UInt8]]
    ) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in
            try await redis.run(script, keys: ["code:typed:" + Hex.encode(place.digest)], arguments: arguments)
        }
    }

    private static func digest(_ typed: String, _ place: OneTimeCode) -> [UInt8] {
        SHA256.hash("\(place.text.revealedText)\0\(typed)").bytes
    }
}

extension SignInCodeStore.Grant {
    fileprivate var stored: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("user", userID.description)
        writer.member("email", email)
        writer.member("credentials", credentialsVersion)
        writer.endObject()
        return writer.bytes
    }

    /// As it was stored.
    fileprivate init?(stored bytes: [UInt8]) {
        guard let value = try? JSON.parse(bytes), let userID = value["user"]?.stringValue.flatMap({ UserID($0) }),
            let email = value["email"]?.stringValue, let credentialsVersion = value["credentials"]?.integerValue
        else { return nil }
        self.init(userID: userID, email: email, credentialsVersion: credentialsVersion)
    }
}
