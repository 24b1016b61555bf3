import Glibc
import TestSupport
import Testing
import Text

@testable import Server

/// `kidoban keys` and `kidoban audit` beside a server.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct KeysCommandTests {
    private struct Keys {
        let environment: TestEnvironment

        /// What a server that was started once leaves behind.
        init() async throws {
            environment = try TestEnvironment()
            let server = try await RunningServer(environment.variables)
            try await eventually { try await server.isReady() }
            server.process.send(15)
            #expect(try await server.exitStatus() == 0)
        }

        func run(_ words: String...) async throws -> Kidoban.Outcome {
            try await Kidoban.run(words, environment: environment.variables)
        }

        /// Those of one algorithm: each has keys of its own.
        func list(_ algorithm: String = "ES256") async throws -> [JSONValue] {
            let outcome = try await run("keys", "list", "--json")
            #expect(outcome.status == 0)
            // Beside the events it may say that there are more.
            return try outcome.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map { try JSON.parse(String($0)) }
                .filter { $0["alg"] == .string(algorithm) }
        }

        func states() async throws -> [String] {
            try await list().compactMap { $0["state"]?.stringValue }
        }

        /// The key ids that a fresh copy publishes.
        func published() async throws -> Set<String> {
            let server = try await RunningServer(environment.variables)
            try await eventually { try await server.isReady() }
            let set = try JSON.parse(try await server.http.send("GET", "/.well-known/jwks.json").text)
            server.process.send(15)
            _ = try await server.exitStatus()
            return Set(set["keys"]?.arrayValue?.filter { $0["alg"] == "ES256" }.compactMap { $0["kid"]?.stringValue } ?? [])
        }

        func age() throws {
            try TestDatabase.run(
                "UPDATE signing_keys SET created_at = created_at - interval '61 minutes'",
                on: environment.database.connectionString)
        }
    }

    @Test func `a key is replaced in steps, and every server takes part`() async throws {
        let keys = try await Keys()
        let old = try #require(try await keys.list().first?["kid"]?.stringValue)
        let begun = try await keys.run("keys", "rotate")
        #expect(begun.status == 0)
        #expect(begun.output.hasPrefix("Published the ES256 key "))
        #expect(try await keys.states() == ["active", "next"])
        let new = try #require(try await keys.list().last?["kid"]?.stringValue)
        #expect(try await keys.published() == [old, new])
        #expect(try await keys.run("keys", "rotate").output.contains("\(new) is published, and signs from"))
        #expect(try await keys.states() == ["active", "next"])
        let audit = try await keys.run("audit", "--kind", "signing_key_created")
        #expect(
            audit.output.hasSuffix(
                #" by=administrator detail={"alg":"ES256","kid":"\#(new)","was":"next","operator":"uid-\#(getuid())"}"# + "\n"),
            "\(audit.output)")
        // An hour later the next copy that looks activates it, and the old one is still published.
        try keys.age()
        #expect(try await keys.published() == [old, new])
        #expect(try await keys.states() == ["retired", "active"])
        let events = try TestDatabase.rows(
            "SELECT kind, actor, detail->>'kid' FROM audit_events WHERE kind LIKE 'signing_key%' ORDER BY id",
            on: keys.environment.database.connectionString)
        #expect(
            events == [["signing_key_created", "administrator", new], ["signing_key_activated", "system", new]])
        // Two days later nothing that it has signed is good.
        try TestDatabase.run(
            "UPDATE signing_keys SET retired_at = retired_at - interval '2 days' WHERE state = 'retired'",
            on: keys.environment.database.connectionString)
        try await eventually { try await keys.published() == [new] }
    }

    @Test func `a key that has leaked is out of the key set, and another signs`() async throws {
        let keys = try await Keys()
        let leaked = try #require(try await keys.list().first?["kid"]?.stringValue)
        let retired = try await keys.run("keys", "retire", leaked)
        #expect(retired.status == 0)
        let list = try await keys.list()
        #expect(list.count == 1)
        let successor = try #require(list.first?["kid"]?.stringValue)
        #expect(list.first?["state"] == "active")
        #expect(retired.output.contains("\(successor) signs in its place"))
        #expect(successor != leaked)
        #expect(try await keys.published() == [successor])
        let again = try await keys.run("keys", "retire", leaked)
        #expect(again.status == 1)
        #expect(again.output == "kidoban: there is no signing key \(leaked)\n")
        #expect(try await keys.run("keys", "retire", "x\u{1B}[2J").output.unicodeScalars.allSatisfy { $0.value != 0x1B })
    }

    @Test func `another master key makes no key`() async throws {
        let keys = try await Keys()
        let kid = try #require(try await keys.list().first?["kid"]?.stringValue)
        let other = keys.environment.with(["KIDOBAN_MASTER_KEY": String(Kidoban.masterKey.reversed())])
        for words in [["rotate"], ["retire", kid]] {
            let outcome = try await Kidoban.run(["keys"] + words, environment: other)
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("KIDOBAN_MASTER_KEY"))
        }
        #expect(try await keys.states() == ["active"])
        let without = try await Kidoban.run(
            "keys", "rotate", environment: keys.environment.with(["KIDOBAN_MASTER_KEY": nil]))
        #expect(without.status == 78)
        #expect(without.output.contains("KIDOBAN_MASTER_KEY"))
    }

    @Test func `keys of two algorithms sign side by side, and each is replaced by itself`() async throws {
        let keys = try await Keys()
        let (elliptic, rsa) = (try await keys.list("ES256"), try await keys.list("RS256"))
        #expect(elliptic.map { $0["state"] } == ["active"] && rsa.map { $0["state"] } == ["active"])
        #expect(try await keys.run("keys", "rotate", "RS256").output.hasPrefix("Published the RS256 key "))
        #expect(try await keys.list("RS256").map { $0["state"] } == ["active", "next"])
        #expect(try await keys.list("ES256").map { $0["state"] } == ["active"])
    }

    @Test func `public keys are printed as a key set and as PEM, without a master key`() async throws {
        let keys = try await Keys()
        let environment = keys.environment.with(["KIDOBAN_MASTER_KEY": nil])
        let set = try JSON.parse(try await Kidoban.run("keys", "show", environment: environment).output)
        #expect(set["keys"]?.arrayValue?.count == 2)
        let all = try await Kidoban.run("keys", "show", "--pem", environment: environment)
        #expect(all.output.split(separator: "-----BEGIN PUBLIC KEY-----\n").count == 3, "\(all.output)")
        let kid = try #require(try await keys.list("RS256").first?["kid"]?.stringValue)
        #expect(all.output.contains("\(kid) RS256 active\n-----BEGIN PUBLIC KEY-----\n"))
        for words in [[kid, "--pem"], ["--pem", kid]] {
            let one = try await Kidoban.run(["keys", "show"] + words, environment: environment)
            #expect(
                one.output.wholeMatch(of: /-----BEGIN PUBLIC KEY-----\n([A-Za-z0-9+\/=]{1,64}\n)+-----END PUBLIC KEY-----\n/)
                    != nil)
        }
        let none = try await Kidoban.run("keys", "show", "nothing", environment: environment)
        #expect(none.status == 1 && none.output == "kidoban: there is no signing key nothing\n")
    }

    @Test func `the master key is replaced, and the previous one removed`() async throws {
        let keys = try await Keys()
        let old = try #require(keys.environment.variables["KIDOBAN_MASTER_KEY"])
        let new = String(old.reversed())
        let alone = try await Kidoban.run("keys", "reseal", environment: keys.environment.variables)
        #expect(alone.status == 78 && alone.output.contains("KIDOBAN_PREVIOUS_MASTER_KEY is not set"))
        let both: [String: String?] = ["KIDOBAN_MASTER_KEY": new, "KIDOBAN_PREVIOUS_MASTER_KEY": old]
        // The copy that took the old key alone has gone long ago.
        try TestDatabase.run(
            "UPDATE master_key_uses SET last_seen_at = last_seen_at - interval '1 hour'",
            on: keys.environment.database.connectionString)
        let doctor = try await Kidoban.run("doctor", environment: keys.environment.with(both))
        #expect(
            doctor.output.contains("still sealed with the previous master key")
                || doctor.output.contains("a copy still seals with"))
        let resealed = try await Kidoban.run("keys", "reseal", environment: keys.environment.with(both))
        #expect(
            resealed.status == 0 && resealed.output.contains("Sealed 2 values anew with the master key "), "\(resealed.output)")
        #expect(
            try await Kidoban.run("keys", "reseal", environment: keys.environment.with(both)).output.contains("Sealed 0 values"))
        try TestDatabase.run(
            "UPDATE master_key_uses SET last_seen_at = last_seen_at - interval '1 hour'",
            on: keys.environment.database.connectionString)
        let left = try await Kidoban.run("doctor", environment: keys.environment.with(both))
        #expect(left.output.contains("session tokens made with it live until"), "\(left.output)")
        try TestDatabase.run(
            "UPDATE master_key_uses SET last_seen_at = last_seen_at - interval '100 days'",
            on: keys.environment.database.connectionString)
        #expect(
            try await Kidoban.run("doctor", environment: keys.environment.with(both)).output.contains(
                "remove KIDOBAN_PREVIOUS_MASTER_KEY"))
        let without = try await Kidoban.run("keys", "rotate", environment: keys.environment.with(["KIDOBAN_MASTER_KEY": new]))
        #expect(without.status == 0, "\(without.output)")
        let former = try await Kidoban.run("doctor", environment: keys.environment.variables)
        #expect(former.status == 1 && former.output.contains("sealed with a master key that is not set here"))
    }

    @Test func `events are printed, the newest first, and followed`() async throws {
        let environment = try TestEnvironment()
        #expect(try await Kidoban.run("migrate", environment: environment.variables).status == 0)
        for name in ["one", "two", "three"] {
            _ = try await Kidoban.run("client", "add", name, "--service", environment: environment.variables)
        }
        func clients(_ words: String...) async throws -> [String] {
            let outcome = try await Kidoban.run(["audit", "--json"] + words, environment: environment.variables)
            #expect(outcome.status == 0)
            // Beside the events it may say that there are more.
            return try outcome.output.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
                try JSON.parse(String($0))["client_id"]?.stringValue ?? ""
            }
        }
        #expect(try await clients() == ["three", "two", "one"])
        #expect(try await clients("--limit", "2") == ["three", "two"])
        #expect(try await clients("--kind", "client_added", "--since", "1h") == ["three", "two", "one"])
        #expect(try await clients("--until", "1h") == [])
        #expect(try await clients("--kind", "client_removed") == [])
        let text = try await Kidoban.run("audit", "--limit", "1", environment: environment.variables)
        #expect(text.output.contains(" client_added  "))
        #expect(text.output.contains("by=administrator client=three"))

        let directory = try TestDirectory()
        let output = "\(directory.path)/followed"
        let follower = try ChildProcess(
            Kidoban.path ?? "", ["audit", "--follow", "--limit", "2"], environment: environment.variables, outputPath: output)
        func lines() throws -> [Substring] { try TestFile.text(of: output).split(separator: "\n") }
        try await eventually { try lines().count == 2 }
        _ = try await Kidoban.run("client", "add", "four", "--service", environment: environment.variables)
        try await eventually { try lines().count >= 3 }
        #expect(follower.isRunning)
        let followed = try lines().compactMap { $0.firstMatch(of: /client=(\S+)/)?.1 }
        #expect(followed == ["two", "three", "four"])
    }
}
