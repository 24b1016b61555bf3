import Logging
import Networking

/// Makes connections to Redis: looks the name up, connects, introduces itself, and repeats what the server must not lack.
struct RedisConnector {
    let configuration: RedisConfiguration
    let loop: EventLoop
    let resolving: BlockingPool
    let recent: RecentWrites?
    let logger: Logger

    struct Connection {
        let stream: Stream
        /// Whether the server has not taken what it was told again.
        let owesWrites: Bool
    }

    static let notRedis = StreamError.system(SystemError("the answer is not that of a Redis server", code: 0))

    /// - Throws: `StreamError`, of the last of the server's addresses.
    func connect() async throws(StreamError) -> Connection {
        var failure = StreamError.system(SystemError("the host name has no address", code: 0))
        for address in await addresses() {
            do throws(StreamError) {
                let deadline = loop.now + configuration.connectTimeout
                let stream = try await Stream.connect(to: address, loop: loop, deadline: deadline)
                do throws(StreamError) {
                    try await introduce(to: stream)
                    return Connection(stream: stream, owesWrites: try await !repeatWrites(to: stream))
                } catch {
                    stream.close()
                    throw error
                }
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func addresses() async -> [SocketAddress] {
        switch configuration.endpoint {
        case .unix(let path): return [.unix(path: path)]
        case .host(let host, let port):
            return (try? await resolving.run { Resolver.addresses(of: host, port: port) }) ?? []
        }
    }

    /// TLS, `AUTH`, `SELECT` and the question for the server's role, before any other command.
    private func introduce(to stream: Stream) async throws(StreamError) {
        if configuration.usesTLS, case .host(let host, _) = configuration.endpoint {
            try await stream.startTLS(TLSClientContext(authoritiesFile: configuration.authoritiesFile), serverName: host)
        }
        var greeting: [RedisCommand] = []
        if let password = configuration.password {
            var command = RedisCommand("AUTH")
            if let username = configuration.username { command.append(username) }
            command.append(password)
            greeting.append(command)
        }
        greeting.append(RedisCommand("SELECT", String(configuration.database)))
        greeting.append(RedisCommand.roleQuestion)
        let reader = ReplyReader()
        stream.write { output in
            for command in greeting { precondition(command.encode(into: &output), "no memory for a command") }
        }
        for _ in greeting.dropLast() {
            switch try await reply(from: stream, reader) {
            case .status: continue
            case .error(let text):
                throw .system(
                    SystemError("Redis refuses the credentials or the database: \(RedisReply.kind(ofError: text))", code: 0))
            case .null, .integer, .bytes, .array: throw Self.notRedis
            }
        }
        if case .error(let text) = try await reply(from: stream, reader), RedisReply.kind(ofError: text) == "READONLY" {
            // Where the address leads for the moment, after a failover perhaps, what has been revoked may still be good.
            guard configuration.acceptsReplica else { throw .system(SystemError("the server is a replica", code: 0)) }
        }
        // What came behind would be taken for the answer to a command that has not been sent yet.
        do throws(RedisError) {
            guard try reader.next() == nil else { throw .unexpectedReply }
        } catch {
            throw Self.notRedis
        }
    }

    /// The next answer of a connection that does not serve yet.
    func reply(from stream: Stream, _ reader: ReplyReader) async throws(StreamError) -> RedisReply {
        repeat {
            do throws(RedisError) {
                try reader.feed(stream.input)
                stream.consume(stream.input.count)
                if let reply = try reader.next() { return reply }
            } catch {
                throw Self.notRedis
            }
        } while try await stream.fill()
        throw .closed
    }

    /// Repeats what the server may lack, before anything is asked of it. One that takes no writes for the moment owes them.
    /// - Returns: whether all of it has been done.
    private func repeatWrites(to stream: Stream) async throws(StreamError) -> Bool {
        guard let recent, !configuration.acceptsReplica else { return true }
        let commands = recent.commands(at: loop.now)
        guard !commands.isEmpty else { return true }
        stream.setDeadline(loop.now + configuration.commandDeadline)
        stream.write { output in
            for command in commands { precondition(command.encode(into: &output), "no memory for a command") }
        }
        let reader = ReplyReader()
        var refused: String?
        for _ in commands {
            if case .error(let text) = try await reply(from: stream, reader) { refused = RedisReply.kind(ofError: text) }
        }
        noteRepetition(of: commands.count, refused: refused)
        return refused == nil
    }

    func noteRepetition(of count: Int, refused: String?) {
        if let refused {
            logger.error(
                "Redis does not take again what has just ended; tried again every second", ["kind": .string(refused)])
        } else {
            logger.info(
                "what has just ended was ended again at the new connection to Redis", ["commands": .integer(Int64(count))])
        }
    }
}
