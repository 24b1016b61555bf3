import Logging
import Networking

/// Writes that a failover must not undo (`RecentWrites`).
extension RedisConnection {
    /// Like `send`, for writes that may be repeated and are, on the next server.
    /// - Throws: the first `RedisError` among their outcomes.
    package func sendLasting(_ commands: [RedisCommand]) async throws(RedisError) {
        _ = try await send(commands)
        for command in commands { recent?.note(command, at: loop.now) }
    }

    /// Like `run`, for a script that may be repeated and is, on the next server.
    /// - Throws: `RedisError`.
    package func runLasting(_ script: RedisScript, keys: [String], arguments: [[UInt8]]) async throws(RedisError) -> RedisReply {
        let reply = try await run(script, keys: keys, arguments: arguments)
        // The digest is that of the text, the same at every server.
        if let digest = digest(of: script) { recent?.note(evaluation(digest, keys, arguments), script, at: loop.now) }
        return reply
    }

    /// Repeats what the server may lack, before anything is asked of it. One that takes no writes for the moment owes them.
    /// - Returns: whether all of it has been done.
    func repeatWrites(to stream: Stream) async throws(StreamError) -> Bool {
        guard let recent, !configuration.acceptsReplica else { return true }
        let commands = Self.commands(recent.renewed(at: loop.now))
        guard !commands.isEmpty else { return true }
        stream.setDeadline(loop.now + configuration.commandDeadline)
        stream.write { output in
            for command in commands { precondition(command.encode(into: &output), "no memory for a command") }
        }
        let reader = ReplyReader()
        var refused: String?
        for _ in commands {
            if case .error(let text) = try await reply(from: stream, reader) { refused = Self.kind(of: text) }
        }
        noteRepetition(of: commands.count, refused: refused)
        return refused == nil
    }

    /// The same on a connection that serves.
    func repeatOwedWrites() async -> Bool {
        guard let recent else { return true }
        let commands = Self.commands(recent.renewed(at: loop.now))
        guard (try? await send(commands)) != nil else { return false }
        noteRepetition(of: commands.count, refused: nil)
        return true
    }

    /// Each script first, once.
    private static func commands(_ writes: [RecentWrites.Write]) -> [RedisCommand] {
        var known: Set<String> = []
        var commands: [RedisCommand] = []
        for write in writes {
            if let script = write.script, known.insert(script.name).inserted {
                commands.append(RedisCommand("SCRIPT", "LOAD", script.source))
            }
            commands.append(write.command)
        }
        return commands
    }

    private func noteRepetition(of count: Int, refused: String?) {
        if let refused {
            logger.error(
                "Redis does not take again what has just ended; tried again every second", ["kind": .string(refused)])
        } else {
            logger.info(
                "what has just ended was ended again at the new connection to Redis", ["commands": .integer(Int64(count))])
        }
    }
}
