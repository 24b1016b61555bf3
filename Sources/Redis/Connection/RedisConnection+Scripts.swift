/// Scripts, by their digests.
extension RedisConnection {
    /// Runs `script` by its digest, teaching it to the server when that does not know it (yet, or any more).
    /// - Throws: `RedisError`.
    package func run(_ script: RedisScript, keys: [String], arguments: [[UInt8]]) async throws(RedisError) -> RedisReply {
        if let digest = digests[script.name] {
            do throws(RedisError) {
                return try await send(evaluation(digest, keys, arguments))
            } catch .refused(kind: "NOSCRIPT") {
                digests[script.name] = nil
            }
        }
        let digest = try await load(script)
        return try await send(evaluation(digest, keys, arguments))
    }

    private func load(_ script: RedisScript) async throws(RedisError) -> String {
        guard let digest = try await send(RedisCommand("SCRIPT", "LOAD", script.source)).text else { throw .unexpectedReply }
        digests[script.name] = digest
        return digest
    }

    func digest(of script: RedisScript) -> String? { digests[script.name] }

    func evaluation(_ digest: String, _ keys: [String], _ arguments: [[UInt8]]) -> RedisCommand {
        var command = RedisCommand("EVALSHA", digest, String(keys.count))
        for key in keys { command.append(key) }
        for argument in arguments { command.append(argument) }
        return command
    }
}
