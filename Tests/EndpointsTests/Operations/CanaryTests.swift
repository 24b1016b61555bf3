import Server
import TestSupport
import Testing
import Text

/// Secrets stay where they belong: in no log, no metric, no table and no key.
@Suite(.needsServers, .needsOwnRedis, .needsOwnPostgres)
struct CanaryTests {
    static let password = "canary-password-8c1f"
    static let wrongPassword = "canary-wrong-password-5d2e"
    static let stray = "canary-stray-token-77aa"
    static let nonce = "canary-nonce-41d7"
    static let code = "canary-code-93be"

    /// Uses every endpoint, rightly and wrongly; returns all the secrets that have been under way.
    private func useEverything(_ server: TestHTTPClient, _ backend: Credentials) async throws -> [String] {
        let email = Account.newEmail()
        let login: JSONValue = ["email": .string(email), "password": .string(Self.password)]
        let account = try Account(await server.post("/auth/register", login))
        let rotating = try Account(
            await server.post(
                "/auth/login", ["email": .string(email), "password": .string(Self.password), "rotate": true]))
        let first = try await server.post("/auth/refresh", ["refreshToken": .string(rotating.refreshToken)]).json
        let second = try await server.post("/auth/refresh", ["refreshToken": try #require(first["refreshToken"])]).json
        _ = try await server.post("/auth/refresh", ["refreshToken": .string(rotating.refreshToken)])
        let last = try Account(await server.post("/auth/login", login))
        _ = try await server.post("/auth/register", login)
        _ = try await server.post("/auth/login", ["email": .string(email), "password": .string(Self.wrongPassword)])
        _ = try await server.post(
            "/auth/login", ["email": .string(Self.wrongPassword), "password": [.string(Self.wrongPassword)]])
        _ = try await server.post("/auth/register", ["email": 1, "oauth_provider": .string(Self.stray)])
        for token in [account.accessToken, account.refreshToken, Self.stray] {
            _ = try await server.introspect(token, backend)
            _ = try await server.introspect(token, Credentials(id: backend.id, secret: Self.stray))
            _ = try await server.form(
                "/oauth2/introspect", [("token", token), ("client_id", backend.id), ("client_secret", backend.secret)])
            _ = try await server.get("/auth/me", bearer: token)
            _ = try await server.get("/auth/me?access_token=\(token)")
            _ = try await server.form("/oauth2/introspect?token=\(token)", [("token", token)], backend)
            _ = try await server.post("/oauth2/introspect", ["token": .string(token)])
            _ = try await server.send(.json("POST", "/auth/refresh", Array(#"{"refreshToken":"\#(token)"#.utf8)))
            _ = try await server.form("/oauth2/revoke", [("token", token)], backend)
        }
        _ = try await server.patch(
            "/auth/me", ["name": "Somebody", "password": .string(Self.stray)], bearer: account.accessToken)
        _ = try await server.get("/auth/sessions", bearer: account.accessToken)
        let proofs = try await useProofs(server, last)
        _ = try await server.form("/oauth2/revoke", [("client_id", "app"), ("token", account.accessToken)])
        _ = try await server.post("/auth/logout", ["refreshToken": .string(account.refreshToken)])
        let more = try await useOtherAPIs(server, email)
        let json = [first, second].flatMap { [$0["accessToken"], $0["refreshToken"]] }.compactMap { $0?.stringValue }
        let tokens = json + [account, rotating, last].flatMap { [$0.accessToken, $0.refreshToken] }
        let all = tokens + more
        let last4 = all.compactMap { $0.split(separator: ".").last.map(String.init) }
        let basic = String(backend.basic.dropFirst("Basic ".count))
        return [Self.password, Self.wrongPassword, Self.stray, backend.secret, basic] + all + last4 + proofs
    }

    /// Uses id tokens, rightly and wrongly; returns them and their signatures, and what came along.
    private func useProofs(_ server: TestHTTPClient, _ account: Account) async throws -> [String] {
        let (person, other) = (Person(), Person())
        let good = try TestProvider.apple(person, nonce: Self.nonce)
        let forged = try TestProvider.google(person, isForged: true)
        let linked = try TestProvider.google(other)
        let extra: KeyValuePairs<String, JSONValue> = [
            "nonce": .string(Self.nonce), "authorization_code": .string(Self.code), "access_token": .string(Self.stray),
        ]
        #expect(try await server.signIn("apple", good, extra).status == 200)
        #expect(try await server.signIn("google", forged, extra).status == 401)
        #expect(try await server.signIn("apple", forged, extra, at: "/auth/register").status == 401)
        let body: JSONValue = ["oauth_provider": "google", "id_token": .string(linked), "access_token": .string(Self.stray)]
        #expect(try await server.post("/auth/identities", body, bearer: account.accessToken).status == 200)
        let tokens = [good, forged, linked]
        return [Self.nonce, Self.code] + tokens + tokens.compactMap { $0.split(separator: ".").last.map(String.init) }
    }

    /// The same for the APIs of other clients.
    private func useOtherAPIs(_ server: TestHTTPClient, _ email: String) async throws -> [String] {
        let pair = try TokenPair(await server.obtain(email, Self.password))
        let next = try TokenPair(await server.renew(pair.refreshToken))
        _ = try await server.renew(pair.refreshToken)
        _ = try await server.renew(next.accessToken)
        _ = try await server.obtain(email, Self.wrongPassword)
        _ = try await server.obtain(body: ["password": .string(Self.password)])
        _ = try await server.drop(next.accessToken)
        let client = CookieClient(server)
        let cookie = try ReceivedCookie(await client.logIn(email, Self.password, remember: true)).value
        let form = try await client.send("GET", "/session").json["csrf_token"]?.stringValue ?? ""
        _ = try await client.send("POST", "/logout-all", [("X-CSRF-Token", form)], body: nil)
        _ = try await client.logIn(email, Self.wrongPassword)
        client.cookies = ["sid": cookie]
        _ = try await client.touch()
        _ = try await client.send("GET", "/touch?sid=\(cookie)")
        _ = try await client.logOut()
        return [pair.accessToken, pair.refreshToken, next.accessToken, next.refreshToken, cookie, form]
    }

    @Test func `no secret is written anywhere`() async throws {
        let (postgres, redis, log) = (try TestPostgres(), try TestRedis(), try TestLog())
        let logging = " options='-c log_statement=all -c log_min_duration_statement=0'"
        let installation = try Installation(
            databaseURL: postgres.connectionString + logging, redisURL: redis.url, log: log
        ) { TestProvider.configure(&$0) }
        let probe = RedisProbe(port: redis.port)
        let secrets = Locked<[String]>([])
        try await installation.run { installation in
            let monitor = try RedisMonitor(probe)
            let backend = try await installation.backend()
            let used = try await useEverything(installation.server, backend) + [installation.masterKey]
            secrets.withLock { $0 = used }
            let metrics = try await installation.copies[0].operations.get("/metrics").text
            let commands = try monitor.commands().joined(separator: "\n")
            expectNone(of: used, in: ["metrics": metrics, "commands to Redis": commands])
            #expect(commands.contains("EVALSHA") || commands.contains("evalsha"))
        }
        // The last audit events have been written by now.
        let places = [
            "log": try log.lines.joined(separator: "\n"), "tables": try TestDatabase.contents(of: postgres.connectionString),
            "Redis": try probe.contents(), "PostgreSQL's log": postgres.log,
        ]
        expectNone(of: secrets.value, in: places)
        // Where nothing is found, it was at least looked for in the right place.
        for (place, sign) in [
            ("log", "request_id"), ("tables", "audit_events"), ("Redis", "session:"), ("PostgreSQL's log", "INSERT INTO users"),
        ] { #expect(places[place]?.contains(sign) == true, "\(place)") }
        #expect(secrets.value.count > 20)
    }

    private func expectNone(of secrets: [String], in places: [String: String]) {
        for (place, text) in places {
            for secret in secrets { #expect(!text.contains(secret), "\(secret) is in \(place)") }
        }
    }

    @Test func `of a token Redis is told a hash, in one command`() async throws {
        let redis = try TestRedis()
        try await Installation(redisURL: redis.url).run { installation in
            let backend = try await installation.backend()
            let account = try await installation.server.signUp()
            let monitor = try RedisMonitor(RedisProbe(port: redis.port))
            for token in ["\r\nFLUSHALL\r\n", "*1\r\n$8\r\nFLUSHALL\r\n", "*", "{hash}", account.accessToken, "\u{1}\" at:x"] {
                _ = try await installation.server.introspect(token, backend)
                let commands = try monitor.commands()
                #expect(commands.count == 1)
                #expect(commands.first?.wholeMatch(of: /.*\] "GET" "at:[0-9A-Za-z_-]{24}"/) != nil, "\(commands)")
            }
            #expect(try await installation.server.introspect(account.accessToken, backend).json["active"] == true)
        }
    }
}
