import TestSupport
import Testing

/// The program as it is typed.
@Suite(.needsProgram)
struct CommandLineTests {
    @Test(arguments: [
        [], ["serve"], ["migrate"], ["health"], ["doctor"], ["client"], ["client", "add"], ["client", "list"],
        ["client", "delete"], ["client", "rotate"], ["client", "update"], ["user"], ["user", "create"], ["user", "delete"],
        ["user", "sign-out"], ["sessions"], ["sessions", "prune"],
        ["audit"], ["keys"], ["keys", "rotate"], ["config"], ["openapi"], ["version"], ["help"], ["explain"],
        ["explain", "id-token"], ["dev-issuer"],
    ])
    func `help is everywhere and needs no configuration`(_ words: [String]) async throws {
        for option in ["--help", "-h"] {
            let help = try await Kidoban.run(words + [option], environment: ["KIDOBAN_LISTEN": "nonsense"])
            #expect(help.status == 0)
            #expect(help.output.lowercased().contains("usage"))
            #expect(help.output.contains((["kidoban"] + words).joined(separator: " ")))
        }
    }

    @Test func `what is wrong with the arguments is said, with where to read on`() async throws {
        for words in [[], ["sevre"], ["client"], ["client", "ad"], ["serve", "now"], ["client", "add"], ["--port", "80"]] {
            let outcome = try await Kidoban.run(words)
            #expect(outcome.status == 64, "\(words)")
            #expect(outcome.output.hasPrefix("kidoban: "))
            #expect(outcome.output.contains("--help"))
        }
        #expect(try await Kidoban.run("sevre").output.contains("serve"))
    }

    @Test func `all that is wrong with the configuration is said at once, and the nearest name suggested`() async throws {
        let outcome = try await Kidoban.run(
            "serve",
            environment: ["KIDOBAN_LISTNE": "127.0.0.1:1", "KIDOBAN_LOOPS": "many", "KIDOBAN_MASTER_KEY": "canary-key"])
        #expect(outcome.status == 78)
        for part in ["KIDOBAN_LISTNE", "KIDOBAN_LISTEN", "KIDOBAN_LOOPS", "KIDOBAN_MASTER_KEY"] {
            #expect(outcome.output.contains(part), "\(part)")
        }
        #expect(!outcome.output.contains("canary-key"))
    }

    @Test func `the configuration in force is shown without its secrets`() async throws {
        let outcome = try await Kidoban.run(
            "config",
            environment: [
                "KIDOBAN_MASTER_KEY": Kidoban.masterKey, "KIDOBAN_LOOPS": "3",
                "DATABASE_URL": "postgresql://u:canary1@localhost/x",
                "REDIS_URL": "redis://:canary2@localhost",
            ])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("KIDOBAN_LOOPS"))
        #expect(!outcome.output.contains("canary"))
        #expect(!outcome.output.contains(Kidoban.masterKey))
    }

    @Test func `a database is migrated once`() async throws {
        let environment = try TestEnvironment()
        let first = try await Kidoban.run("migrate", environment: environment.variables)
        #expect(first.status == 0)
        #expect(first.output.hasPrefix("Applied 1 users\n"))
        let second = try await Kidoban.run("migrate", environment: environment.variables)
        #expect(second.status == 0)
        #expect(second.output == "The database is up to date.\n")
    }

    @Test func `a client is registered, listed, given a new secret and removed`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        let added = try await Kidoban.run(
            "client", "add", "app-backend", "--introspect", environment: environment.variables)
        #expect(added.status == 0)
        let match = try #require(added.output.firstMatch(of: /client_id=app-backend\nclient_secret=(kds_[A-Za-z0-9_-]{43})\n$/))
        let list = try await Kidoban.run("client", "list", environment: environment.variables)
        #expect(list.status == 0)
        #expect(list.output.contains("app-backend"))
        #expect(!list.output.contains(match.1))
        let again = try await Kidoban.run("client", "add", "app-backend", "--service", environment: environment.variables)
        #expect(again.status == 1)
        #expect(again.output.contains("there is a client of this id already"))
        let rotated = try await Kidoban.run("client", "rotate", "app-backend", environment: environment.variables)
        #expect(rotated.status == 0)
        #expect(rotated.output.hasPrefix("kidoban: the secret that app-backend had until now is good until "))
        #expect(rotated.output.contains("\nclient_id=app-backend\nclient_secret=kds_"))
        #expect(!rotated.output.contains(match.1))
        #expect(try await Kidoban.run("client", "delete", "app-backend", environment: environment.variables).status == 0)
        for words in [
            ["delete", "app-backend"], ["rotate", "app-backend"], ["disable", "app-backend"], ["show", "app-backend"],
        ] {
            let outcome = try await Kidoban.run(["client"] + words, environment: environment.variables)
            #expect(outcome.status == 1)
            #expect(outcome.output == "kidoban: there is no client app-backend\n")
        }
        #expect(try await Kidoban.run("client", "list", environment: environment.variables).output.isEmpty)
        #expect(try await Kidoban.run("client", "add", "app", "--service", environment: environment.variables).status == 1)
        let events = try TestDatabase.rows(
            "SELECT kind, actor, client_id FROM audit_events ORDER BY id", on: environment.database.connectionString)
        let kinds = ["client_added", "client_secret_replaced", "client_removed"]
        #expect(events == kinds.map { [$0, "administrator", "app-backend"] })
        let secrets = try TestDatabase.contents(of: environment.database.connectionString)
        #expect(!secrets.contains(match.1))
    }

    @Test func `without tables or a server the command says what to do`() async throws {
        let environment = try TestEnvironment()
        let empty = try await Kidoban.run("client", "list", environment: environment.variables)
        #expect(empty.status == 1)
        #expect(empty.output.contains("kidoban migrate"))
        let nowhere = environment.with(["DATABASE_URL": "host=127.0.0.1 port=1 dbname=x"])
        for words in [["client", "list"], ["migrate"]] {
            let outcome = try await Kidoban.run(words, environment: nowhere)
            #expect(outcome.status == 1)
            #expect(outcome.output.hasPrefix("kidoban: "))
        }
    }
}
