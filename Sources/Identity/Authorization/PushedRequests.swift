import Crypto
package import Redis
import Text

/// Authorization requests that clients have pushed (RFC 9126), and those whose parameters are too long for an address: in Redis, under a name of
/// 256 random bits of which only the SHA-256 is stored.
package struct PushedRequests: Sendable {
    package static let prefix = "urn:ietf:params:oauth:request_uri:"
    package static let randomByteCount = 32

    private let redis: RedisConnection
    private let system: SystemContext
    /// Until it is first used.
    package let life: Duration

    package init(redis: RedisConnection, system: SystemContext, life: Duration) {
        self.redis = redis
        self.system = system
        self.life = life
    }

    /// - Returns: the `request_uri`.
    package func push(
        _ parameters: AuthorizationParameters, of client: ClientID, life: Duration? = nil
    ) async throws(ServiceFailure) -> String {
        let name = Self.prefix + Base64URL.encode(system.random(Self.randomByteCount))
        let stored = JSONValue.array(
            [.string(client.text)] + parameters.fields.flatMap { [.string($0.name), .string($0.value)] })
        var command = RedisCommand("SET", Self.key(name))
        command.append(stored.serialized)
        command.append("PX")
        command.append(max(1, (life ?? self.life).wholeMilliseconds))
        _ = try await send(command)
        return name
    }

    /// The parameters that a client has pushed; nil for another client's, and for none. They stay for as long as a user may take from now on.
    package func parameters(_ name: String, of client: ClientID) async throws(ServiceFailure) -> AuthorizationParameters? {
        guard name.utf8.count == Self.prefix.utf8.count + 43, name.hasPrefix(Self.prefix) else { return nil }
        var command = RedisCommand("GETEX", Self.key(name), "PX")
        command.append(InteractionMarks.life.wholeMilliseconds)
        guard case .bytes(let bytes) = try await send(command) else { return nil }
        guard let texts = (try? JSON.parse(bytes))?.arrayValue?.compactMap(\.stringValue), texts.count % 2 == 1 else {
            throw .fault()
        }
        guard texts[0].hasSameBytes(as: client.text) else { return nil }
        return AuthorizationParameters(
            stride(from: 1, to: texts.count, by: 2).map { (name: texts[$0], value: texts[$0 + 1]) })
    }

    /// Forgets a request that has led to a code.
    /// - Returns: whether it was there: of two answers to one request, one gets the code.
    package func finish(_ name: String) async throws(ServiceFailure) -> Bool {
        try await send(RedisCommand("DEL", Self.key(name))).integerValue == 1
    }

    private func send(_ command: RedisCommand) async throws(ServiceFailure) -> RedisReply {
        try await askRedis { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ name: String) -> String {
        "par:" + SHA256.hash(name).hex
    }
}
