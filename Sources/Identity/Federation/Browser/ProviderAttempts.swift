import Crypto
package import Redis
package import Text

/// A sign-in at a provider that has begun in a browser and comes back to it (RFC 6749 §4.1).
package struct ProviderAttempt: Sendable {
    package let provider: ProviderID
    /// Of the browser in which it began (`BrowserSecret`): it ends there or nowhere.
    package let binding: String
    /// Where the browser goes on.
    package let destination: String
    /// The session of who wants one more way in; nil for a sign-in.
    package let linksTo: SessionID?
    package let nonce: SecretString
    /// Of the code's challenge (RFC 7636).
    package let verifier: SecretString
    /// What has come by a form of the provider's, which brings no cookie along.
    package fileprivate(set) var code: SecretString?
    package fileprivate(set) var name: String?
    package fileprivate(set) var hasFailed = false
}

/// The attempts under way, in Redis: `provider_attempt:<sha256 of the state>`.
package struct ProviderAttempts: Sendable {
    package static let life = Duration.seconds(600)
    private static let byteCount = 32

    private let redis: RedisConnection
    private let system: SystemContext

    package init(redis: RedisConnection, system: SystemContext) {
        self.redis = redis
        self.system = system
    }

    /// Notes that one begins.
    /// - Returns: it, its `state`, and the `code_challenge`.
    package func begin(
        at provider: ProviderID, binding: String, destination: String, linksTo session: SessionID?
    ) async throws(ServiceFailure) -> (attempt: ProviderAttempt, state: SecretString, challenge: String) {
        func text() -> String { Base64URL.encode(system.random(Self.byteCount)) }
        let (state, verifier) = (text(), text())
        let attempt = ProviderAttempt(
            provider: provider, binding: binding, destination: destination, linksTo: session, nonce: SecretString(text()),
            verifier: SecretString(verifier))
        try await store(attempt, state)
        return (attempt, SecretString(state), Base64URL.encode(SHA256.hash(verifier).bytes))
    }

    /// The attempt of a `state`, which stays; nil for none.
    package func attempt(_ state: String) async throws(ServiceFailure) -> ProviderAttempt? {
        guard case .bytes(let bytes) = try await send(RedisCommand("GET", Self.key(state))) else { return nil }
        return ProviderAttempt(stored: bytes)
    }

    /// Puts what a provider's form has brought beside its attempt. Of no effect where there is none.
    package func note(
        code: SecretString?, name: String?, hasFailed: Bool, for state: String
    ) async throws(ServiceFailure) {
        guard var attempt = try await attempt(state), attempt.code == nil, !attempt.hasFailed else { return }
        (attempt.code, attempt.name, attempt.hasFailed) = (code, name, hasFailed)
        // One that has ended meanwhile does not come back by that.
        try await store(attempt, state, isNew: false)
    }

    /// Ends an attempt; false when somebody else has.
    package func end(_ state: String) async throws(ServiceFailure) -> Bool {
        try await send(RedisCommand("DEL", Self.key(state))).integerValue == 1
    }

    private func store(_ attempt: ProviderAttempt, _ state: String, isNew: Bool = true) async throws(ServiceFailure) {
        var command = RedisCommand("SET", Self.key(state))
        command.append(attempt.stored)
        command.append("PX")
        command.append(Self.life.wholeMilliseconds)
        if !isNew { command.append("XX") }
        _ = try await send(command)
    }

    private func send(_ command: RedisCommand) async throws(ServiceFailure) -> RedisReply {
        try await askRedis { () throws(RedisError) in try await redis.send(command) }
    }

    private static func key(_ state: String) -> String {
        "provider_attempt:" + SHA256.hash(state).hex
    }
}

extension ProviderAttempt {
    fileprivate var stored: [UInt8] {
        var object = JSONObject()
        object["provider"] = .string(provider.text)
        object["binding"] = .string(binding)
        object["destination"] = .string(destination)
        object["session"] = linksTo.map { .string($0.text) }
        object["nonce"] = .string(nonce.revealedText)
        object["verifier"] = .string(verifier.revealedText)
        object["code"] = code.map { .string($0.revealedText) }
        object["name"] = name.map { .string($0) }
        object["failed"] = hasFailed ? true : nil
        return JSONValue.object(object).serialized
    }

    fileprivate init?(stored bytes: [UInt8]) {
        guard let object = (try? JSON.parse(bytes))?.objectValue,
            let provider = object["provider"]?.stringValue.flatMap({ ProviderID($0) }),
            let binding = object["binding"]?.stringValue, let destination = object["destination"]?.stringValue,
            let nonce = object["nonce"]?.stringValue, let verifier = object["verifier"]?.stringValue
        else { return nil }
        self.init(
            provider: provider, binding: binding, destination: destination,
            linksTo: object["session"]?.stringValue.flatMap { SessionID($0) }, nonce: SecretString(nonce),
            verifier: SecretString(verifier), code: object["code"]?.stringValue.map { SecretString($0) },
            name: object["name"]?.stringValue, hasFailed: object["failed"]?.boolValue ?? false)
    }
}
