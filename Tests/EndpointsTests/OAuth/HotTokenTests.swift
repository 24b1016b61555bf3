import Identity
import Redis
import Server
import TestSupport
import Testing
import Text

extension Installation.Copy {
    fileprivate func metric(_ name: String) async throws -> Int {
        let lines = try await operations.get("/metrics").text.split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(name + " ") })
        return try #require(Int(line.dropFirst(name.count + 1)))
    }

    fileprivate var hits: Int { get async throws { try await metric("kidoban_hot_token_hits_total") } }

    fileprivate func isActive(_ token: String, _ backend: Credentials) async throws -> Bool {
        let answer = try await http.introspect(token, backend)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json["active"] == true
    }

    /// Whether no loop takes the token for good any more. Each question reaches one of the two.
    fileprivate func isGone(_ token: String, _ backend: Credentials) async throws -> Bool {
        for _ in 0..<12 where try await isActive(token, backend) { return false }
        return true
    }

    /// Asks about a token until an answer has come from memory.
    fileprivate func warm(_ token: String, _ backend: Credentials) async throws {
        let before = try await hits
        try await eventually {
            #expect(try await isActive(token, backend))
            return try await hits > before
        }
    }
}

private func remembering(_ configuration: inout Configuration) {
    configuration.backends.hotTokens = 1 << 20
}

/// One after the other: they count what all requests find in memory.
@Suite(.needsServers, .installation(copies: 2, { remembering(&$0) }), .serialized, .timeLimit(.minutes(5)))
struct HotTokenTests {
    let installation = Installation.current

    @Test func `what one copy ends, the other does not remember`() async throws {
        let installation = try #require(installation)
        let (here, there) = (installation.copies[0], installation.copies[1])
        let backend = try await installation.backend()
        for ending in 0..<4 {
            let account = try await here.http.signUp()
            for copy in [here, there] { try await copy.warm(account.accessToken, backend) }
            switch ending {
            case 0:
                let form = [("client_id", "app"), ("token", account.accessToken)]
                #expect(try await here.http.form("/oauth2/revoke", form).status == 200)
            case 1:
                let body: JSONValue = ["refreshToken": .string(account.refreshToken)]
                #expect(try await here.http.post("/auth/logout", body).status == 204)
            case 2: #expect(try await here.http.delete("/auth/me", bearer: account.accessToken).status == 204)
            default: _ = try await installation.command(["user", "sign-out", account.id])
            }
            for copy in [there, here] { try await eventually { try await copy.isGone(account.accessToken, backend) } }
            // And it never comes back.
            for copy in [there, here] { #expect(try await copy.isGone(account.accessToken, backend)) }
        }
    }

    @Test func `gateways and batches are answered from memory, too`() async throws {
        let installation = try #require(installation)
        let copy = installation.copies[0]
        let backend = try await installation.backend()
        let account = try await copy.http.signUp()
        try await copy.warm(account.accessToken, backend)
        var before = try await copy.hits
        try await eventually {
            #expect(try await copy.http.verify(account.accessToken, backend).status == 204)
            return try await copy.hits > before
        }
        func areActive(_ tokens: [JSONValue]) async throws -> [Bool] {
            let body: JSONValue = ["tokens": .array(tokens)]
            var request = TestHTTPRequest.json("POST", "/oauth2/introspect/batch", body.serialized)
            request.fields.append(("Authorization", backend.basic))
            let answer = try await copy.http.send(request)
            return try #require(answer.json["answers"]?.arrayValue, "\(answer.text)").map { $0["active"] == true }
        }
        before = try await copy.hits
        let token = JSONValue.string(account.accessToken)
        try await eventually {
            #expect(try await areActive([token, token]) == [true, true])
            return try await copy.hits > before
        }
        // Nothing that is remembered waits for Redis's answer about another.
        before = try await copy.hits
        for _ in 0..<5 { #expect(try await areActive([token, "unknown"]) == [true, false]) }
        #expect(try await copy.hits == before)
        // Our own endpoints look for themselves.
        before = try await copy.hits
        for _ in 0..<5 { #expect(try await copy.http.get("/auth/me", bearer: account.accessToken).status == 200) }
        #expect(try await copy.hits == before)
    }
}

@Suite(.needsServers, .installation(), .timeLimit(.minutes(5)))
struct ColdTokenTests {
    @Test func `nothing is remembered unless it is asked for`() async throws {
        let installation = try #require(Installation.current)
        let backend = try await installation.backend()
        let copy = installation.copies[0]
        let token = try await copy.http.signUp().accessToken
        for _ in 0..<20 { #expect(try await copy.isActive(token, backend)) }
        #expect(try await copy.hits == 0)
        #expect(try await copy.metric("kidoban_hot_token_bytes") == 0)
    }
}

@Suite(.needsServers, .needsOwnRedis, .timeLimit(.minutes(5)))
struct HotTokenOutageTests {
    @Test func `without a word of changes Redis is asked each time`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url, remembering).run(copies: 2) { installation in
            let (here, there) = (installation.copies[0], installation.copies[1])
            let backend = try await installation.backend()
            let account = try await here.http.signUp()
            try await there.warm(account.accessToken, backend)
            // The connections that tell end, and there shall be no others.
            try redis.command("ACL SETUSER default -subscribe")
            _ = try RedisProbe(port: redis.port).answers(to: ["CLIENT KILL TYPE pubsub"])
            try await eventually { try await there.metric("kidoban_hot_token_bytes") == 0 }
            let before = try await there.hits
            for _ in 0..<20 { #expect(try await there.isActive(account.accessToken, backend)) }
            let form = [("client_id", "app"), ("token", account.accessToken)]
            #expect(try await here.http.form("/oauth2/revoke", form).status == 200)
            // At once.
            #expect(try await !there.isActive(account.accessToken, backend))
            #expect(try await there.hits == before)
            try redis.command("ACL SETUSER default +subscribe")
            try await there.warm(try await here.http.signUp().accessToken, backend)
        }
    }

    @Test func `for a Redis that stands still the memory stands in for a second at most`() async throws {
        let redis = try TestRedis()
        let installation = try Installation(redisURL: redis.url) { configuration in
            remembering(&configuration)
            configuration.redis.commandDeadline = .milliseconds(500)
            configuration.redis.connectTimeout = .milliseconds(500)
        }
        try await installation.run { installation in
            let copy = installation.copies[0]
            let backend = try await installation.backend()
            let account = try await copy.http.signUp()
            try await copy.warm(account.accessToken, backend)
            redis.pause()
            let paused = ContinuousClock.now
            try await eventually {
                let age = ContinuousClock.now - paused
                let status = try await copy.http.introspect(account.accessToken, backend).status
                #expect(status == 503 || age < .seconds(1) && status == 200, "\(age)")
                return age > .seconds(2)
            }
            redis.resume()
            try await eventually {
                for _ in 0..<20 where try await copy.http.introspect(account.accessToken, backend).status != 200 { return false }
                return true
            }
            try await copy.warm(account.accessToken, backend)
            try redis.command("FLUSHALL")
            try await eventually { try await copy.isGone(account.accessToken, backend) }
        }
    }

    @Test func `another database in the place of ours empties the memory, though Redis tells of no key`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url, remembering).run { installation in
            let copy = installation.copies[0]
            let backend = try await installation.backend()
            let account = try await copy.http.signUp()
            try await copy.warm(account.accessToken, backend)
            for isThere in [false, true, false] {
                try redis.command("SWAPDB 0 9")
                try await eventually { try await copy.isGone(account.accessToken, backend) != isThere }
                if isThere { try await copy.warm(account.accessToken, backend) }
            }
        }
    }

    @Test func `a token is remembered no longer than Redis keeps it`() async throws {
        // Redis says that a key is over when it comes by it, which it shall not.
        let redis = try TestRedis(["--enable-debug-command", "yes"])
        try redis.command("DEBUG SET-ACTIVE-EXPIRE 0")
        try await Installation(redisURL: redis.url, remembering).run { installation in
            let copy = installation.copies[0]
            let backend = try await installation.backend()
            let account = try await copy.http.signUp()
            let key = AccessTokenHash(of: account.accessToken).key
            _ = try RedisProbe(port: redis.port).answers(to: ["PEXPIRE \(key) 5000"])
            let end = ContinuousClock.now + .seconds(5)
            try await eventually {
                let isOver = ContinuousClock.now > end
                let isActive = try await copy.isActive(account.accessToken, backend)
                #expect(!isOver || !isActive)
                return isOver
            }
            #expect(try await copy.isGone(account.accessToken, backend))
            #expect(try await copy.hits > 0)
        }
    }

    @Test func `the memory has a limit`() async throws {
        let redis = try TestRedis()
        let installation = try Installation(redisURL: redis.url) { $0.backends.hotTokens = 4096 }
        try await installation.run { installation in
            let copy = installation.copies[0]
            let backend = try await installation.backend()
            for _ in 0..<20 {
                let token = try await copy.http.signUp().accessToken
                for _ in 0..<3 { #expect(try await copy.isActive(token, backend)) }
                #expect(try await copy.metric("kidoban_hot_token_bytes") <= 4096)
            }
            try await copy.warm(try await copy.http.signUp().accessToken, backend)
            #expect(try await copy.metric("kidoban_hot_token_bytes") > 0)
        }
    }

    @Test func `a user of Redis who may not hear of changes asks each time`() async throws {
        let redis = try TestRedis()
        try redis.command("ACL SETUSER default -client|tracking")
        try await Installation(redisURL: redis.url, remembering).run { installation in
            let copy = installation.copies[0]
            let backend = try await installation.backend()
            let account = try await copy.http.signUp()
            for _ in 0..<10 { #expect(try await copy.isActive(account.accessToken, backend)) }
            #expect(try await copy.hits == 0)
            try redis.command("ACL SETUSER default +client|tracking")
            try await copy.warm(account.accessToken, backend)
        }
    }
}
