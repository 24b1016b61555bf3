import Crypto
import Server
import TestSupport
import Testing
import Text

extension Account {
    /// A claim of the access token, which is a JWT.
    fileprivate func claim(_ name: String) throws -> String {
        try #require(accessToken.jwtClaim(name))
    }
}

extension String {
    fileprivate func jwtClaim(_ name: String) -> String? {
        let parts = split(separator: ".")
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        return (try? JSON.parse(payload))?[name]?.stringValue
    }
}

extension FeedListener {
    fileprivate func heard(_ name: String, _ member: String, _ value: String) -> Bool {
        events.contains { $0.name == name && $0.data[member] == .string(value) }
    }
}

@Suite(.needsServers, .installation(copies: 2), .timeLimit(.minutes(10)))
struct RevocationFeedTests {
    let installation = Installation.current

    private func ports() throws -> [UInt16] {
        try #require(installation).copies.map(\.http.port)
    }

    @Test func `what ends on one copy is told by all, and not the token`() async throws {
        let installation = try #require(installation)
        let copies = installation.copies.map(\.http)
        let backend = try await installation.backend()
        let listeners = [
            try await FeedListener.hearing(ports()[0], backend), try await FeedListener.hearing(ports()[1], backend),
        ]
        #expect(listeners.allSatisfy { $0.text.hasPrefix("HTTP/1.1 200 OK\r\n") && $0.events.first?.name == "ready" })
        #expect(listeners[0].text.contains("\r\nContent-Type: text/event-stream\r\n"))
        let account = try await copies[0].signUp()
        let other = try await copies[1].signIn(account)
        let form = [("client_id", "app"), ("token", account.accessToken)]
        #expect(try await copies[0].form("/oauth2/revoke", form).status == 200)
        #expect(try await copies[1].post("/auth/logout", ["refreshToken": .string(other.refreshToken)]).status == 204)
        for listener in listeners {
            try await eventually { listener.heard("token_revoked", "jti", try account.claim("jti")) }
            try await eventually { listener.heard("session_ended", "sid", try other.claim("sid")) }
            let ended = try #require(listener.events.first { $0.data["sid"] == .string(try other.claim("sid")) })
            #expect(ended.data["sub"] == .string(account.id))
            #expect(ended.data["exp"] == .integer(TestClock.start.adding(.seconds(900)).seconds))
            #expect(ended.data.keys == ["sid", "sub", "exp", "iat"])
            // The other session goes on.
            #expect(!listener.heard("session_ended", "sid", try account.claim("sid")))
            for secret in [account.accessToken, account.refreshToken, other.accessToken, other.refreshToken] {
                #expect(!listener.text.contains(secret))
            }
            listener.hangUp()
        }
        for listener in listeners { try await eventually { listener.isOver } }
    }

    @Test func `a client hears of tokens for its audiences`() async throws {
        let installation = try #require(installation)
        let server = try installation.server
        let (backend, orders) = (
            try await installation.backend(), try await installation.addClient("orders", "--introspect", "--audience", "orders")
        )
        let (listener, deaf) = (
            try await FeedListener.hearing(ports()[0], backend), try await FeedListener.hearing(ports()[0], orders)
        )
        let account = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
        try await eventually { listener.heard("session_ended", "sid", try account.claim("sid")) }
        #expect(deaf.events.map(\.name) == ["ready"])
        for listener in [listener, deaf] { listener.hangUp() }
    }

    @Test func `800 revocations are heard without a gap, however often the listener is cut off`() async throws {
        let installation = try #require(installation)
        let copies = installation.copies.map(\.http)
        let backend = try await installation.backend()
        let first = try await FeedListener.hearing(ports()[0], backend)
        let isDone = Locked(false)
        // Each follows the one before on the other copy, from where that was cut off.
        let listening = Task { [ports = try ports()] in
            var listeners = [first]
            var isLast = false
            while !isLast {
                isLast = isDone.value
                let before = listeners[listeners.count - 1]
                if !isLast { try await eventually { before.events.count > 40 || isDone.value } }
                before.hangUp()
                let next = try FeedListener(ports[listeners.count % 2], backend, from: before.cursor)
                try await next.waitUntilReady()
                listeners.append(next)
            }
            return listeners
        }
        let ended = try await withThrowingTaskGroup(of: [String].self) { group in
            for worker in 0..<8 {
                group.addTask {
                    let (here, there) = (copies[worker % 2], copies[(worker + 1) % 2])
                    let account = try await here.signUp()
                    var ended: [String] = []
                    for _ in 0..<100 {
                        let fresh = try await here.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
                        let token = try #require(fresh.json["accessToken"]?.stringValue)
                        ended.append(try #require(token.jwtClaim("jti")))
                        let form = [("client_id", "app"), ("token", token)]
                        try #require(try await there.form("/oauth2/revoke", form).status == 200)
                    }
                    return ended
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        isDone.withLock { $0 = true }
        let listeners = try await listening.value
        #expect(Set(ended).count == 800)
        #expect(listeners.count > 5)
        let missing = { Set(ended).subtracting(listeners.flatMap(\.events).compactMap { $0.data["jti"]?.stringValue }) }
        try await eventually { missing().isEmpty }
        #expect(listeners.allSatisfy { listener in listener.events.allSatisfy { $0.name != "reset" } })
        listeners.last?.hangUp()
    }

    @Test func `who comes back is told when nothing of what was missed is left`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let before = try await FeedListener.hearing(ports()[0], backend)
        before.hangUp()
        let account = try await installation.server.signUp()
        #expect(try await installation.server.delete("/auth/me", bearer: account.accessToken).status == 204)
        let next = try await FeedListener.hearing(ports()[1], backend, from: before.cursor)
        try await eventually { next.events.contains { $0.name == "current" } }
        let names = next.events.map(\.name)
        let (missed, current) = (
            try #require(next.events.firstIndex { $0.data["sid"] == .string(try account.claim("sid")) }),
            try #require(names.firstIndex(of: "current"))
        )
        #expect(names[0] == "ready" && missed < current && names.filter { $0 == "current" }.count == 1)
        // It may be gone on with, too.
        let last = try await FeedListener.hearing(ports()[0], backend, from: next.events[current].id)
        try await eventually { last.events.contains { $0.name == "current" } }
        #expect(!last.heard("session_ended", "sid", try account.claim("sid")))
        // Who comes for the first time has missed nothing.
        #expect(!before.events.contains { $0.name == "current" })
        for listener in [next, last] { listener.hangUp() }
    }

    @Test func `a gap is told`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        for cursor in ["1-0", "99999999999999-0"] {
            let listener = try await FeedListener.hearing(ports()[0], backend, from: cursor)
            // Other tests end sessions meanwhile.
            try await eventually { listener.events.contains { $0.name == "reset" } }
            // From there it goes on.
            let next = try await FeedListener.hearing(ports()[1], backend, from: listener.cursor)
            let account = try await installation.server.signUp()
            #expect(try await installation.server.delete("/auth/me", bearer: account.accessToken).status == 204)
            for listener in [listener, next] {
                try await eventually { listener.heard("session_ended", "sid", try account.claim("sid")) }
                listener.hangUp()
            }
            #expect(next.events.allSatisfy { $0.name != "reset" })
        }
    }

    @Test func `who has proved itself with a secret that is ended hears nothing more`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.addClient("orders", "--introspect")
        let listener = try await FeedListener.hearing(ports()[0], backend)
        _ = try await installation.command(["client", "rotate", backend.id, "--now"])
        try await eventually { listener.isOver }
    }

    @Test func `whoever may not listen is told so`() async throws {
        let installation = try #require(installation)
        let (server, backend) = (try installation.server, try await installation.backend())
        let path = "/oauth2/revocations"
        #expect(try await server.get(path).status == 401)
        let wrong = Credentials(id: backend.id, secret: "wrong")
        #expect(try await server.send("GET", path, [("Authorization", wrong.basic)]).status == 401)
        let other = try await installation.addClient("other")
        #expect(try await server.send("GET", path, [("Authorization", other.basic)]).status == 403)
        for cursor in ["x", "1", "1-", "-1-0", "01-0", "1-0-0"] {
            let asked = try await server.send("GET", path + "?cursor=\(cursor)", [("Authorization", backend.basic)])
            #expect(asked.status == 400)
        }
    }
}

@Suite(
    .needsServers,
    .installation { configuration in
        configuration.backends.revocationListeners = 4
    })
struct RevocationListenerLimitTests {
    let installation = Installation.current

    @Test func `there are so many listeners in all, and of one client half as many`() async throws {
        let installation = try #require(installation)
        let server = try installation.server
        var backends: [Credentials] = []
        for _ in 0..<3 { backends.append(try await installation.addClient("backend", "--introspect")) }
        let head = { (backend: Credentials) async throws -> Int in
            try await server.send("HEAD", "/oauth2/revocations", [("Authorization", backend.basic)]).status
        }
        try await eventually { try await head(backends[0]) == 200 }
        var listeners: [FeedListener] = []
        for backend in backends[..<2] {
            for _ in 0..<2 {
                let listener = try FeedListener(server.port, backend)
                try await listener.waitUntilReady()
                listeners.append(listener)
            }
            #expect(try await head(backend) == 429)
        }
        #expect(try await head(backends[2]) == 429)
        listeners[0].hangUp()
        try await eventually { try await head(backends[2]) == 200 }
        #expect(try await head(backends[1]) == 429)
        for listener in listeners { listener.hangUp() }
    }
}

@Suite(.needsServers, .needsOwnRedis, .timeLimit(.minutes(5)))
struct RevocationFeedOutageTests {
    @Test func `without Redis listeners are cut off, and hear of a gap when it has come back empty`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let head = {
                try await server.send("HEAD", "/oauth2/revocations", [("Authorization", backend.basic)]).status
            }
            try await eventually { try await head() == 200 }
            let listener = try FeedListener(server.port, backend)
            try await listener.waitUntilReady()
            redis.stop()
            try await eventually { listener.isOver }
            #expect(try await head() == 503)
            try redis.start()
            try await eventually { try await head() == 200 }
            // It comes back as often as it is cut off, as a backend does: the connections to Redis are not all there at once.
            var listeners = [listener]
            let hears = { (name: String, sessionID: JSONValue?) async throws -> Bool in
                if listeners[listeners.count - 1].isOver {
                    guard try await head() == 200 else { return false }
                    let cursor = listeners.lazy.reversed().compactMap(\.cursor).first
                    listeners.append(try FeedListener(server.port, backend, from: cursor))
                }
                return listeners.dropFirst().flatMap(\.events).contains {
                    $0.name == name && (sessionID == nil || $0.data["sid"] == sessionID)
                }
            }
            try await eventually { try await hears("reset", nil) }
            // Other connections to Redis come back by themselves, each in its time. A deletion that failed half-way may have ended the
            // session, and with it the token that would repeat it: each attempt has its own account.
            var deleted: Account?
            try await eventually {
                let email = JSONValue.string(Account.newEmail())
                let answer = try await server.post(
                    "/auth/register", ["email": email, "password": .string(Account.password)])
                if answer.status == 503 { return false }
                let account = try Account(answer)
                guard try await server.delete("/auth/me", bearer: account.accessToken).status == 204 else { return false }
                deleted = account
                return true
            }
            let account = try #require(deleted)
            let sessionID = JSONValue.string(try account.claim("sid"))
            try await eventually { try await hears("session_ended", sessionID) }
            listeners.last?.hangUp()
        }
    }

    @Test func `who listens hears of a gap when the stream is taken away`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let listener = try await FeedListener.hearing(server.port, backend)
            let connection = try TestSocket(connectingTo: redis.port)
            try connection.send(Array("*2\r\n$3\r\nDEL\r\n$16\r\nfeed:revocations\r\n".utf8))
            _ = try connection.receive()
            try await eventually { listener.events.contains { $0.name == "reset" } }
            let account = try await server.signUp()
            #expect(try await server.delete("/auth/me", bearer: account.accessToken).status == 204)
            try await eventually { listener.heard("session_ended", "sid", try account.claim("sid")) }
            #expect(!listener.isOver)
            listener.hangUp()
        }
    }

    @Test func `who does not listen is cut off, and keeps nobody waiting`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let (server, backend) = (try installation.server, try await installation.backend())
            let listener = try await FeedListener.hearing(server.port, backend)
            let deaf = try FeedListener(server.port, backend, reads: false)
            let connections = { await installation.copies[0].application.connectionCount() }
            try await eventually { await connections() == 2 }
            // Far more than the buffers of the system hold.
            let mark = SHA256.hash("http://localhost:8080\0http://localhost:8080").bytes.prefix(4)
            let connection = try TestSocket(connectingTo: redis.port)
            for number in 1...100 {
                let words = ["XADD", "feed:revocations", "*", "m"].map { Array($0.utf8) } + [Array(mark)]
                let rest = ["a", "http://localhost:8080", "n", "test", "d", "\"" + String(repeating: "x", count: 100_000) + "\""]
                let all = words + rest.map { Array($0.utf8) }
                var bytes = Array("*\(all.count)\r\n".utf8)
                for word in all { bytes += Array("$\(word.count)\r\n".utf8) + word + Array("\r\n".utf8) }
                try connection.send(bytes)
                _ = try connection.receive()
                // Who listens keeps up, however busy the machine is.
                try await eventually { listener.text.utf8.count > number * 100_000 }
            }
            try await eventually { await connections() == 1 }
            try await eventually { listener.events.filter { $0.name == "test" }.count == 100 }
            #expect(!listener.isOver)
            listener.hangUp()
            withExtendedLifetime(deaf) {}
        }
    }
}
