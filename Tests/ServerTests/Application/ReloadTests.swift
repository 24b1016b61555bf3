import Glibc
import TestSupport
import Testing
import Text

/// SIGHUP, by which a running server reads its configuration anew.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ReloadTests {
    private static let readAnew = "configuration read anew"
    private static let refused = "the configuration is wrong: the old one stays in force"

    /// A server whose settings are in a file that a test rewrites.
    private struct Reloadable {
        let server: RunningServer
        let environment: TestEnvironment
        let path: String
        private let directory: TestDirectory

        init(_ settings: String, _ changes: [String: String?] = [:]) async throws {
            environment = try TestEnvironment()
            directory = try TestDirectory()
            path = "\(directory.path)/kidoban.env"
            try TestFile.write(settings, to: path)
            server = try await RunningServer(environment.with(changes.merging(["KIDOBAN_SETTINGS_FILE": path]) { $1 }))
        }

        /// Writes the file, sends the signal, and waits for what the log says of it.
        func reload(_ settings: String, until message: String = ReloadTests.readAnew) async throws -> [JSONValue] {
            try TestFile.write(settings, to: path)
            let before = try lines(message).count
            server.process.send(SIGHUP)
            try await eventually { try lines(message).count > before }
            return try lines(message)
        }

        func lines(_ message: String) throws -> [JSONValue] {
            try server.log.split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
                .filter { $0["message"]?.stringValue == message }
        }
    }

    private func signIn(_ token: String, at server: RunningServer) async throws -> Int {
        try await server.http.send(
            "POST", "/auth/oauth", [("Content-Type", "application/json")],
            body: #"{"oauth_provider":"google","id_token":"\#(token)"}"#
        ).status
    }

    @Test func `client ids of a provider change under traffic, and no request fails`() async throws {
        let issuer = try await RunningIssuer()
        let provider = "KIDOBAN_GOOGLE_ISSUERS=\(issuer.url)/google\nKIDOBAN_GOOGLE_JWKS_URL=\(issuer.url)/keys\n"
        let client = "kidoban-demo.apps.googleusercontent.com"
        let reloadable = try await Reloadable(provider)
        let server = reloadable.server
        try await eventually { try await server.isReady() }
        let token = try await issuer.token("/tokens/google")
        let (isOver, answers) = (Locked(false), Locked<[Int]>([]))
        let http = server.http
        let traffic = (1...3).map { _ in
            Task {
                while !isOver.value {
                    let status = try await http.send("GET", "/.well-known/jwks.json").status
                    answers.withLock { $0.append(status) }
                }
            }
        }
        // Off, on for another app, on for this one, and off again.
        #expect(try await signIn(token, at: server) == 401)
        _ = try await reloadable.reload(provider + "KIDOBAN_GOOGLE_CLIENT_IDS=com.example.other\n")
        #expect(try await signIn(token, at: server) == 401)
        let lines = try await reloadable.reload(provider + "KIDOBAN_GOOGLE_CLIENT_IDS=com.example.other,\(client)\n")
        #expect(lines.last?["changed"] == "KIDOBAN_GOOGLE_CLIENT_IDS")
        #expect(lines.last?["needs_restart"] == nil)
        #expect(try await signIn(token, at: server) == 200)
        for _ in 1...10 { _ = try await reloadable.reload(provider + "KIDOBAN_GOOGLE_CLIENT_IDS=\(client)\n") }
        let next = try await issuer.token("/tokens/google")
        #expect(try await signIn(next, at: server) == 200)
        _ = try await reloadable.reload(provider)
        #expect(try await signIn(try await issuer.token("/tokens/google"), at: server) == 401)
        isOver.withLock { $0 = true }
        for task in traffic { try await task.value }
        #expect(!answers.value.isEmpty)
        #expect(answers.value.allSatisfy { $0 == 200 })
    }

    @Test func `the level of the log changes at once, and back`() async throws {
        let reloadable = try await Reloadable("KIDOBAN_LOG_LEVEL=info\n")
        let http = reloadable.server.http
        _ = try await reloadable.reload("KIDOBAN_LOG_LEVEL=error\n")
        _ = try await http.send("GET", "/auth/me", [("X-Request-Id", "request-in-silence")])
        _ = try await reloadable.reload("KIDOBAN_LOG_LEVEL=info\n")
        _ = try await http.send("GET", "/auth/me", [("X-Request-Id", "request-in-public")])
        try await eventually { try reloadable.server.log.contains("request-in-public") }
        #expect(try !reloadable.server.log.contains("request-in-silence"))
    }

    @Test func `with anything wrong the old configuration stays, and the log lists all of it without a value`() async throws {
        let reloadable = try await Reloadable("KIDOBAN_LOG_LEVEL=info\nKIDOBAN_DRAIN_TIMEOUT=9s\n")
        let lines = try await reloadable.reload(
            "KIDOBAN_LOG_LEVEL=error\nKIDOBAN_LOG_LEVLE=canary\nKIDOBAN_LOOPS=canary\nDATABASE_URL=canary\n", until: Self.refused)
        let problems = try #require(lines.last?["problems"]?.stringValue)
        #expect(problems.contains("KIDOBAN_LOG_LEVLE (line 2 of the settings file) is not a setting"))
        #expect(problems.contains("KIDOBAN_LOG_LEVEL"))
        #expect(lines.last?["level"] == "error")
        #expect(try !reloadable.server.log.contains("canary"))
        _ = try await reloadable.server.http.send("GET", "/auth/me", [("X-Request-Id", "still-at-info")])
        try await eventually { try reloadable.server.log.contains("still-at-info") }
        // A file that has gone is wrong, too.
        #expect(unlink(reloadable.path) == 0)
        reloadable.server.process.send(SIGHUP)
        try await eventually { try reloadable.lines(Self.refused).count == 2 }
        #expect(try reloadable.lines(Self.readAnew).isEmpty)
        _ = try await reloadable.reload("KIDOBAN_LOG_LEVEL=debug\n")
    }

    @Test func `limits and trusted proxies are those of the last reading`() async throws {
        let reloadable = try await Reloadable("KIDOBAN_LIMIT_SIGN_IN_ADDRESS=off\n")
        let server = reloadable.server
        try await eventually { try await server.isReady() }
        func signIn(from address: String) async throws -> Int {
            try await server.http.send(
                "POST", "/auth/login", [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
                body: #"{"email":"nobody@example.com","password":"correct horse battery"}"#
            ).status
        }
        for _ in 1...3 { #expect(try await signIn(from: "203.0.113.1") == 401) }
        let limited = try await reloadable.reload("KIDOBAN_LIMIT_SIGN_IN_ADDRESS=1/1h\n")
        #expect(limited.last?["changed"] == "KIDOBAN_LIMIT_SIGN_IN_ADDRESS")
        #expect(try await signIn(from: "203.0.113.1") == 401)
        // Whatever it says, it is the same address until the balancer is believed.
        #expect(try await signIn(from: "203.0.113.2") == 429)
        let trusted = try await reloadable.reload(
            "KIDOBAN_LIMIT_SIGN_IN_ADDRESS=1/1h\nKIDOBAN_TRUSTED_PROXIES=127.0.0.1\n")
        #expect(trusted.last?["changed"] == "KIDOBAN_TRUSTED_PROXIES")
        for address in ["203.0.113.1", "203.0.113.2"] {
            #expect(try await signIn(from: address) == 401)
            #expect(try await signIn(from: address) == 429)
        }
    }

    @Test func `what needs a restart is named as long as it does`() async throws {
        let reloadable = try await Reloadable("KIDOBAN_MAX_BODY=64KiB\n")
        let first = try await reloadable.reload("KIDOBAN_MAX_BODY=2MiB\nKIDOBAN_DRAIN_TIMEOUT=9s\n")
        #expect(first.last?["needs_restart"] == "KIDOBAN_MAX_BODY")
        #expect(first.last?["changed"] == "KIDOBAN_DRAIN_TIMEOUT")
        let second = try await reloadable.reload("KIDOBAN_MAX_BODY=2MiB\nKIDOBAN_DRAIN_TIMEOUT=9s\n")
        #expect(second.last?["needs_restart"] == "KIDOBAN_MAX_BODY")
        #expect(second.last?["changed"] == "")
        let third = try await reloadable.reload("KIDOBAN_DRAIN_TIMEOUT=9s\n")
        #expect(third.last?["needs_restart"] == nil)
    }

    @Test func `clients that were changed without Redis are known at once`() async throws {
        let reloadable = try await Reloadable("KIDOBAN_CLIENT_CACHE_LIFETIME=1h\n", ["KIDOBAN_LOOPS": "1"])
        let server = reloadable.server
        try await eventually { try await server.isReady() }
        let environment = reloadable.environment.variables
        // So that the server hears of a change by SIGHUP only.
        let withoutRedis = environment.merging(["REDIS_URL": "redis://127.0.0.1:1", "KIDOBAN_REDIS_DEADLINE": "100ms"]) { $1 }
        func secret(_ environment: [String: String], _ words: String...) async throws -> String {
            let output = try await Kidoban.run(words, environment: environment).output
            return try #require(output.firstMatch(of: /client_secret=(\S+)/)).1.description
        }
        func introspect(_ secret: String) async throws -> Int {
            let credentials = "Basic \(Base64.encode(Array("backend:\(secret)".utf8)))"
            return try await server.http.send(
                "POST", "/oauth2/introspect",
                [("Authorization", credentials), ("Content-Type", "application/x-www-form-urlencoded")], body: "token=x"
            ).status
        }
        let old = try await secret(environment, "client", "add", "backend", "--introspect")
        #expect(try await introspect(old) == 200)
        let new = try await secret(withoutRedis, "client", "rotate", "backend", "--now")
        _ = try await reloadable.reload("KIDOBAN_CLIENT_CACHE_LIFETIME=1h\n")
        #expect(try await introspect(old) == 401)
        #expect(try await introspect(new) == 200)
    }

    @Test func `the drain times are those of the last reading`() async throws {
        let reloadable = try await Reloadable("KIDOBAN_DRAIN_DELAY=5m\n", ["KIDOBAN_DRAIN_DELAY": nil])
        _ = try await reloadable.reload("KIDOBAN_DRAIN_DELAY=0s\n")
        reloadable.server.process.send(SIGTERM)
        #expect(try await reloadable.server.exitStatus() == 0)
    }

    @Test func `the signal ends no server, neither before its stores are there nor on its way out`() async throws {
        let reloadable = try await Reloadable(
            "KIDOBAN_DRAIN_DELAY=5m\n",
            [
                "DATABASE_URL": "host=127.0.0.1 port=1 dbname=x", "REDIS_URL": "redis://127.0.0.1:1",
                "KIDOBAN_DRAIN_DELAY": nil,
            ])
        _ = try await reloadable.reload("KIDOBAN_DRAIN_DELAY=4m\n")
        let process = reloadable.server.process
        process.send(SIGTERM)
        try await eventually { try !reloadable.lines("draining").isEmpty }
        _ = try await reloadable.reload("KIDOBAN_DRAIN_DELAY=0s\n", until: "draining: the configuration is not read anew")
        #expect(process.isRunning)
        process.send(SIGTERM)
        #expect(try await reloadable.server.exitStatus() == 1)
    }
}
