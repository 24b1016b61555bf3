import Networking

/// What is said first on a new connection.
extension RedisConnection {
    /// TLS, `AUTH`, `SELECT` and the question for the server's role, before any other command.
    func introduce(to stream: Stream) async throws(StreamError) {
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
        greeting.append(Self.roleQuestion)
        let reader = ReplyReader()
        stream.write { output in
            for command in greeting { precondition(command.encode(into: &output), "no memory for a command") }
        }
        for _ in greeting.dropLast() {
            switch try await reply(from: stream, reader) {
            case .status: continue
            case .error(let text):
                throw .system(SystemError("Redis refuses the credentials or the database: \(Self.kind(of: text))", code: 0))
            case .null, .integer, .bytes, .array: throw Self.notRedis
            }
        }
        if case .error(let text) = try await reply(from: stream, reader), Self.kind(of: text) == "READONLY" {
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

    static let notRedis = StreamError.system(SystemError("the answer is not that of a Redis server", code: 0))

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
}
