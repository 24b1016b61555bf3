import TestSupport
import Testing
import Text

/// `kidoban doctor` on real servers, good and bad.
@Suite(
    .enabled(
        if: Kidoban.path != nil && TestPostgres.isAvailable && TestRedis.isAvailable, "it takes the program and both servers"),
    .timeLimit(.minutes(5)))
struct DoctorTests {
    private static let keySet = #"""
        {"keys":[{"kty":"EC","crv":"P-256","kid":"one","use":"sig",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """#

    @Test func `with good servers nothing is a problem`() async throws {
        let stores = try GoodStores()
        let keyServer = try TestHTTPServer.start { _ in .response(status: 200, body: Self.keySet) }
        let port = try freePort()
        let environment = stores.with([
            "KIDOBAN_LISTEN": "127.0.0.1:\(port)", "KIDOBAN_ISSUER": "http://127.0.0.1:\(port)",
            "KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:0", "KIDOBAN_DRAIN_DELAY": "0s",
            "KIDOBAN_GOOGLE_CLIENT_IDS": "a.example", "KIDOBAN_GOOGLE_JWKS_URL": keyServer.url("/keys", host: "127.0.0.1"),
        ])
        let before = try await Examination(environment)
        #expect(before.status == 0)
        #expect(before.results("postgres-schema") == ["advice"])
        #expect(before.results("issuer") == ["advice"])
        let server = try await RunningServer(environment)
        try await eventually { try await server.isReady() }
        let examination = try await Examination(environment)
        #expect(examination.status == 0, "\(examination.output)")
        #expect(examination.names("problem") == [])
        #expect(examination.names("skipped").isEmpty)
        // Both of development: the issuer and the key server are on this machine.
        #expect(Set(examination.names("advice")) == ["development", "mail"])
        #expect(examination.detail("mail") == "no mail is sent, 0 mails wait")
        #expect(examination.detail("issuer") == "it answers with our keys")
        #expect(examination.detail("key-set-google") == "1 usable key(s)")
        #expect(examination.detail("signing-keys") == "the master key opens all 2")
        #expect(examination.detail("redis-persistence") == "append-only file, on disk every second")
        // For people it says the same.
        let text = try await Kidoban.run(
            ["doctor"], environment: environment.merging(["KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:1"]) { $1 })
        #expect(text.status == 0)
        #expect(text.output.contains("\nok       redis-rights          our user may do what the server does\n"))
        #expect(text.output.hasSuffix("\nNo problem, 3 to think about, 0 not checked.\n"))
        // And it leaves nothing behind.
        let connection = try TestSocket(connectingTo: stores.redis.port)
        try connection.send("KEYS *doctor*\r\n")
        #expect(String(decoding: try connection.receive(), as: UTF8.self) == "*0\r\n")
    }

    @Test func `the mail server is greeted, and gets no mail`() async throws {
        let stores = try GoodStores()
        let mailServer = try TestSMTPServer()
        let environment = stores.with([
            "KIDOBAN_SMTP_URL": "smtp://127.0.0.1:\(mailServer.port)", "KIDOBAN_MAIL_SENDER": "no-reply@id.example",
        ])
        // It has no TLS, which is required unless that is said.
        let untrusted = try await Examination(environment)
        #expect(untrusted.results("mail") == ["problem"])
        #expect(untrusted.detail("mail")?.hasPrefix("no trusted TLS with the mail server") == true, "\(untrusted.output)")
        let plain = environment.merging(["KIDOBAN_SMTP_TLS": "none"]) { $1 }
        let trusted = try await Examination(plain)
        #expect(trusted.results("mail") == ["ok"])
        #expect(trusted.detail("mail")?.hasPrefix("the mail server takes mail from us") == true, "\(trusted.output)")
        #expect(try mailServer.messages().isEmpty)
        mailServer.stop()
        let gone = try await Examination(plain)
        #expect(gone.results("mail") == ["problem"])
        #expect(gone.detail("mail")?.hasPrefix("the mail server cannot be reached") == true, "\(gone.output)")
    }

    @Test func `a Redis that forgets is a problem`() async throws {
        let stores = try GoodStores(redis: ["--maxmemory-policy", "allkeys-lru"])
        let examination = try await Examination(stores.variables)
        #expect(examination.status == 1)
        #expect(examination.names("problem") == ["redis-policy", "redis-persistence"])
        #expect(examination.results("redis-memory") == ["advice"])
        let others = try GoodStores(redis: ["--appendonly", "yes", "--appendfsync", "no", "--maxmemory", "500kb"])
        let unsafe = try await Examination(others.variables)
        #expect(unsafe.results("redis-persistence") == ["advice"])
        #expect(unsafe.results("redis-memory") == ["problem"])
        #expect(unsafe.results("redis-rights") == ["problem"])
    }

    @Test func `a user of Redis who lacks rights is told which`() async throws {
        let stores = try GoodStores(redis: [
            "--appendonly", "yes", "--user", "kidoban", "on", ">canary-redis", "~at:*", "~session:*", "~client:*", "~user:*",
            "~code:*",
            "~authcode:*", "~par:*", "~device:*", "~device-user:*", "~used:*", "~claims:*", "~authsession:*",
            "~registration:*", "~provider_attempt:*", "~browser:*",
            "~successor:*", "~limit:*", "~audit:*", "~feed:*", "+@all", "-@admin", "-zadd", "-info",
        ])
        let url = "redis://kidoban:canary-redis@127.0.0.1:\(stores.redis.port)"
        let examination = try await Examination(stores.with(["REDIS_URL": url]))
        #expect(examination.status == 1)
        #expect(examination.names("problem") == ["redis-rights"])
        #expect(
            examination.detail("redis-rights")
                == "not allowed: ZADD session:, ZADD client:, ZADD user:, ZADD browser:, ZADD limit:known:, SET it:")
        #expect(examination.results("redis-version") == ["skipped"])
        #expect(examination.results("redis") == ["ok"])
        #expect(!examination.output.contains("canary"))
        // It needs more where tokens are remembered.
        let hot = try await Examination(stores.with(["REDIS_URL": url, "KIDOBAN_HOT_TOKENS": "1MiB"]))
        #expect(
            hot.detail("redis-rights")?.hasSuffix("SET it:, CLIENT ID, CLIENT TRACKING or SUBSCRIBE __redis__:invalidate")
                == true,
            "\(hot.output)")
        let wrong = try await Examination(stores.with(["REDIS_URL": url.replacing("canary-redis", with: "canary-wrong")]))
        #expect(wrong.results("redis") == ["problem"])
        #expect(wrong.detail("redis")?.contains("refuses the credentials") == true)
        #expect(!wrong.output.contains("canary"))
    }

    @Test func `a replica takes no writes`() async throws {
        let primary = try TestRedis()
        let stores = try GoodStores(redis: ["--appendonly", "yes", "--replicaof", "127.0.0.1 \(primary.port)"])
        let examination = try await Examination(stores.variables)
        #expect(examination.results("redis-role") == ["problem"])
        #expect(examination.results("redis-rights") == ["skipped"])
    }

    @Test func `a role of PostgreSQL without rights is told what it lacks`() async throws {
        let stores = try GoodStores()
        let owner = stores.postgres.connectionString
        try TestDatabase.run("CREATE ROLE guest LOGIN PASSWORD 'canary-postgres'; CREATE ROLE writer LOGIN", on: owner)
        let guest = stores.with(["DATABASE_URL": owner.replacing("user=postgres", with: "user=guest password=canary-postgres")])
        // Nothing is there, and it may not make it.
        let empty = try await Examination(guest)
        #expect(empty.status == 1)
        #expect(empty.names("problem") == ["postgres-rights"])
        #expect(try await Kidoban.run("migrate", environment: stores.variables).status == 0)
        try TestDatabase.run("GRANT SELECT ON schema_migrations, signing_keys TO guest", on: owner)
        let full = try await Examination(guest)
        #expect(full.names("problem") == ["postgres-rights"])
        #expect(
            full.detail("postgres-rights")?.contains("may not read and write account_changes, app_settings, audit_events") == true
        )
        #expect(!full.output.contains("canary"))
        // All but changing the tables, which is good enough until the next version.
        try TestDatabase.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer", on: owner)
        let writer = stores.with(["DATABASE_URL": owner.replacing("user=postgres", with: "user=writer")])
        let working = try await Examination(writer)
        #expect(working.names("problem") == [])
        #expect(working.results("postgres-rights") == ["advice"])
        let separate = try await Examination(writer.merging(["KIDOBAN_MIGRATE": "false"]) { $1 })
        #expect(separate.results("postgres-rights") == ["ok"])
    }

    @Test func `a PostgreSQL that may lose what it has said is a problem`() async throws {
        let stores = try GoodStores()
        let hasty = try await Examination(
            stores.with(["DATABASE_URL": "\(stores.postgres.connectionString) options='-c synchronous_commit=off'"]))
        #expect(hasty.names("problem") == ["postgres-durability"])
        let unsafe = try TestPostgres()
        let examination = try await Examination(
            stores.with(["DATABASE_URL": unsafe.connectionString, "KIDOBAN_DATABASE_POOL": "20", "KIDOBAN_MIGRATE": "false"]))
        // Beside that, nobody has migrated it.
        #expect(examination.names("problem") == ["postgres-schema", "postgres-durability"])
        #expect(examination.results("postgres-connections") == ["advice"])
    }

    @Test func `another master key than that of the database is a problem`() async throws {
        let stores = try GoodStores()
        let server = try await RunningServer(
            stores.with(["KIDOBAN_LISTEN": "127.0.0.1:0", "KIDOBAN_OPERATIONS_LISTEN": "127.0.0.1:0"]))
        try await eventually { try await server.isReady() }
        let other = String(Kidoban.masterKey.reversed())
        var environment = stores.with(["KIDOBAN_MASTER_KEY": other])
        environment["KIDOBAN_MASTER_KEY_FILE"] = nil
        let examination = try await Examination(environment)
        #expect(examination.status == 1)
        #expect(examination.names("problem") == ["signing-keys", "master-key-rotation"])
        #expect(examination.results("master-key") == ["advice"])
        #expect(!examination.output.contains(other))
        environment["KIDOBAN_MASTER_KEY"] = nil
        let none = try await Examination(environment)
        #expect(none.names("problem") == ["master-key"])
        #expect(none.results("signing-keys") == ["skipped"])
    }

    @Test func `servers that are away are named, and what depends on them is skipped`() async throws {
        let examination = try await Examination([
            "KIDOBAN_MASTER_KEY": Kidoban.masterKey, "DATABASE_URL": "postgresql://u:canary1@127.0.0.1:1/x",
            "REDIS_URL": "redis://u:canary2@127.0.0.1:1", "KIDOBAN_GOOGLE_CLIENT_IDS": "a.example",
            "KIDOBAN_GOOGLE_JWKS_URL": "http://127.0.0.1:1/keys", "KIDOBAN_ISSUER": "https://nowhere.invalid",
        ])
        #expect(examination.status == 1)
        #expect(examination.names("problem") == ["postgres", "redis", "key-set-google"])
        #expect(examination.detail("redis")?.contains("Connection refused") == true)
        #expect(examination.results("issuer") == ["advice"])
        #expect(examination.results("postgres-durability") == ["skipped"])
        #expect(examination.results("clock-redis") == ["skipped"])
        #expect(!examination.output.contains("canary"))
    }

    @Test func `servers that take a connection and say nothing are not waited for for ever`() async throws {
        let deaf = try TestSocket(listeningOn: 0)
        let examination = try await Examination([
            "KIDOBAN_MASTER_KEY": Kidoban.masterKey, "DATABASE_URL": "postgresql://127.0.0.1:\(deaf.port)/x",
            "REDIS_URL": "redis://127.0.0.1:\(deaf.port)", "KIDOBAN_GOOGLE_CLIENT_IDS": "a.example",
            "KIDOBAN_GOOGLE_JWKS_URL": "http://127.0.0.1:\(deaf.port)/keys", "KIDOBAN_ISSUER": "http://127.0.0.1:\(deaf.port)",
            "KIDOBAN_DATABASE_CONNECT_TIMEOUT": "1m", "KIDOBAN_REDIS_CONNECT_TIMEOUT": "1m",
        ])
        #expect(examination.names("problem") == ["postgres", "redis", "key-set-google"])
        #expect(examination.detail("postgres")?.contains("does not answer in time") == true)
        #expect(examination.results("issuer") == ["advice"])
    }

    @Test(arguments: [
        (200, "<html>rubbish</html>", "no key set"), (200, #"{"keys":[]}"#, "no key that can be used"),
        (200, #"{"keys":[{"kty":"oct","kid":"x","k":"AAAA"}]}"#, "no key that can be used"), (404, keySet, "404"),
    ])
    func `a key server that answers rubbish is a problem`(_ status: Int, _ body: String, _ words: String) async throws {
        let keyServer = try TestHTTPServer.start { _ in .response(status: status, body: body) }
        let examination = try await Examination([
            "KIDOBAN_MASTER_KEY": Kidoban.masterKey, "DATABASE_URL": "host=127.0.0.1 port=1", "REDIS_URL": "redis://127.0.0.1:1",
            "KIDOBAN_GOOGLE_CLIENT_IDS": "a.example", "KIDOBAN_GOOGLE_JWKS_URL": keyServer.url("/keys", host: "127.0.0.1"),
            "KIDOBAN_OUTBOUND_CONNECT_TIMEOUT": "1m", "KIDOBAN_OUTBOUND_TIMEOUT": "1m",
        ])
        #expect(examination.results("key-set-google") == ["problem"])
        #expect(examination.detail("key-set-google")?.contains(words) == true)
    }

    @Test func `a wrong configuration is listed, and nothing else is looked at`() async throws {
        let examination = try await Examination([
            "KIDOBAN_LOOPS": "many", "KIDOBAN_LISTNE": "x", "KIDOBAN_MASTER_KEY": "canary",
        ])
        #expect(examination.status == 1)
        #expect(examination.results("configuration") == ["problem", "problem", "problem"])
        #expect(examination.names("skipped") == ["others"])
        #expect(!examination.output.contains("canary"))
    }

    @Test func `what is for development only is told from what is for everybody`() async throws {
        let nowhere = [
            "KIDOBAN_MASTER_KEY": Kidoban.masterKey, "DATABASE_URL": "host=127.0.0.1 port=1", "REDIS_URL": "redis://127.0.0.1:1",
        ]
        let open = try await Examination(nowhere.merging(["KIDOBAN_ISSUER": "http://id.invalid"]) { $1 })
        #expect(open.results("development") == ["problem"])
        #expect(open.results("issuer") == ["skipped"])
        let demo = try await Examination(
            nowhere.merging(["KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH": "true", "KIDOBAN_REST_AUTH_PARITY": "true"]) { $1 })
        #expect(demo.results("development") == ["advice", "advice", "advice"])
    }
}
