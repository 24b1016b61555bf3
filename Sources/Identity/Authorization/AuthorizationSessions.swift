import Crypto
import Redis
package import Text

/// An authorization request that a first-party app makes in several steps on its own screens (draft-ietf-oauth-first-party-apps, `auth_session`).
package struct AuthorizationSession: Equatable, Sendable {
    package let clientID: ClientID
    /// What was asked for at first; the steps after it bring credentials only.
    package let parameters: AuthorizationParameters
    /// The key that was shown at first: no other device goes on with it.
    package let thumbprint: String?

    package init(clientID: ClientID, parameters: AuthorizationParameters, thumbprint: String?) {
        self.clientID = clientID
        self.parameters = parameters
        self.thumbprint = thumbprint
    }
}

/// Those that are under way, in Redis, under names of 256 random bits of which only the SHA-256 is stored. Each name is good for one step.
package struct AuthorizationSessions: Sendable {
    private static let randomByteCount = 32
    private static let life = Duration.seconds(600)

    private let redis: RedisConnection
    private let system: SystemContext

    init(redis: RedisConnection, system: SystemContext) {
        self.redis = redis
        self.system = system
    }

    /// - Returns: the name for the next step.
    package func keep(_ session: AuthorizationSession) async throws(ServiceFailure) -> SecretString {
        let name = Base64URL.encode(system.random(Self.randomByteCount))
        let stored = JSONValue.array(
            [.string(session.clientID.text), .string(session.thumbprint ?? "")]
                + session.parameters.fields.flatMap { [.string($0.name), .string($0.value)] })
        var command = RedisCommand("SET", Self.key(name))
        command.append(stored.serialized)
        command.append("PX")
        command.append(Self.life.wholeMilliseconds)
        _ = try await askRedis { () throws(RedisError) in try await redis.send(command) }
        return SecretString(name)
    }

    /// The session of this name; nil for none, and for another client's or key's. The name is used up by `finish`, when the step has led to
    /// something: one that an outage has stopped can be repeated.
    package func session(
        _ name: SecretString, of client: ClientID, thumbprint: String?
    ) async throws(ServiceFailure) -> AuthorizationSession? {
        let command = RedisCommand("GET", Self.key(name.revealedText))
        guard case .bytes(let bytes) = try await askRedis({ () throws(RedisError) in try await redis.send(command) }) else {
            return nil
        }
        guard let texts = (try? JSON.parse(bytes))?.arrayValue?.compactMap(\.stringValue), texts.count >= 2, texts.count % 2 == 0
        else { throw .fault() }
        guard texts[0].hasSameBytes(as: client.text), texts[1].isEmpty || texts[1] == thumbprint else { return nil }
        let fields = stride(from: 2, to: texts.count, by: 2).map { (name: texts[$0], value: texts[$0 + 1]) }
        return AuthorizationSession(
            clientID: client, parameters: AuthorizationParameters(fields), thumbprint: texts[1].isEmpty ? nil : texts[1])
    }

    /// Uses a name up.
    /// - Returns: whether nobody has before.
    package func finish(_ name: SecretString) async throws(ServiceFailure) -> Bool {
        let command = RedisCommand("DEL", Self.key(name.revealedText))
        return try await askRedis { () throws(RedisError) in try await redis.send(command) }.integerValue == 1
    }

    private static func key(_ name: String) -> String {
        "authsession:" + SHA256.hash(name).hex
    }
}
