import Crypto
import HTTP
import Identity
import Networking
import Postgres
import Testing
import Text

@testable import Server

/// What numbers mean, at the edges.
@Suite struct FindingTests {
    private func clock(_ milliseconds: Int64, uncertainty: Int64 = 0) -> Finding {
        let now = Timestamp(seconds: 1_000_000)
        let offset = ClockOffset(
            theirs: now.adding(.milliseconds(milliseconds)), asked: now.adding(.milliseconds(-uncertainty)),
            answered: now.adding(.milliseconds(uncertainty)))
        return ClockCheck.finding(of: "Redis", offset, limit: .seconds(5))
    }

    @Test(arguments: [(0, "ok"), (1000, "ok"), (1001, "advice"), (5000, "advice"), (5001, "problem")])
    func `clocks may differ by a second, and not by more than five`(_ milliseconds: Int64, _ result: String) {
        #expect(clock(milliseconds).result.word == result)
        #expect(clock(-milliseconds).result.word == result)
        // What the question took is not the clock's fault.
        #expect(clock(milliseconds + 1, uncertainty: 1).result.word == result)
    }

    @Test func `a clock says in which direction it is wrong`() {
        #expect(clock(7000).detail == "Redis's clock is 7000 ms ahead of ours")
        #expect(clock(-7000).detail == "Redis's clock is 7000 ms behind ours")
    }

    @Test(arguments: [(100, 100, "ok"), (101, 100, "advice"), (1000, 100, "advice"), (1000, 99, "problem")])
    func `open files are weighed against what is wanted`(_ wanted: Int, _ possible: Int, _ result: String) {
        #expect(OpenFilesCheck.finding(wanted: wanted, possible: possible).result.word == result)
    }

    @Test(arguments: [
        ("http://localhost:8080", "", "ok"), ("https://id.example.com", "", "advice"),
        ("https://id.example.com", "10.0.0.0/8", "ok"),
    ])
    func `who ends TLS is a proxy to be named`(_ issuer: String, _ proxy: String, _ result: String) throws {
        var configuration = Configuration()
        configuration.issuer = issuer
        if !proxy.isEmpty { configuration.http.proxies.blocks = [try AddressBlock(proxy)] }
        #expect(ProxiesCheck.finding(of: configuration).result.word == result)
    }

    @Test(arguments: [(499, "ok"), (500, "advice"), (799, "advice"), (800, "problem")])
    func `password hashes leave memory to the rest`(_ needed: Int, _ result: String) {
        #expect(PasswordMemoryCheck.finding(threads: 2, needed: needed, available: 1000).result.word == result)
    }

    @Test(arguments: [("3", "problem"), ("4", "advice"), ("7", "advice"), ("8", "ok")])
    func `there has to be room for two copies in PostgreSQL`(_ connections: String, _ result: String) throws {
        var configuration = Configuration()
        configuration.loops = 1
        configuration.database.connectionsPerLoop = 4
        var facts = Self.facts
        facts.connections = try #require(Int(connections))
        #expect(PostgresChecks.connections(facts, configuration).result.word == result)
    }

    @Test(arguments: [(149_999, "problem"), (150_000, "ok"), (170_002, "ok")])
    func `an old PostgreSQL is a problem`(_ version: Int, _ result: String) {
        var facts = Self.facts
        facts.versionNumber = version
        #expect(PostgresChecks.version(facts).result.word == result)
    }

    @Test(arguments: [("6.0.16", "problem"), ("6.2.0", "ok"), ("7.0.15", "ok"), ("10.0.0", "ok")])
    func `an old Redis is a problem`(_ version: String, _ result: String) {
        #expect(RedisChecks.version(RedisFacts(info: ["redis_version": version])).result.word == result)
    }

    @Test func `a Redis without a file but with a replica is not the worst`() {
        let facts = RedisFacts(info: ["aof_enabled": "0", "connected_slaves": "1"])
        #expect(RedisChecks.persistence(facts).result.word == "advice")
        let broken = RedisFacts(info: ["aof_enabled": "1", "aof_last_write_status": "err"])
        #expect(RedisChecks.persistence(broken).result.word == "problem")
    }

    @Test func `another machine without TLS is worth a thought`() {
        var facts = Self.facts
        #expect(PostgresChecks.transport(facts).result == .ok)
        facts.isLocal = false
        #expect(PostgresChecks.transport(facts).result.word == "advice")
        facts.usesTLS = true
        #expect(PostgresChecks.transport(facts).result == .ok)
    }

    @Test(arguments: [(200, "{}", "problem"), (404, #"{"keys":[]}"#, "problem"), (200, #"{"keys":[]}"#, "problem")])
    func `an issuer with other keys is a problem`(_ status: Int, _ body: String, _ result: String) {
        let ring = KeyRing(signers: [:], keys: [])
        #expect(IssuerCheck.finding(status: status, body: Array(body.utf8), keys: ring).result.word == result)
    }

    @Test(arguments: [
        ("a", "a", "ok"), ("ab", "a", "ok"), ("a", "ab", "advice"), ("b", "a", "problem"), ("", "a", "problem"),
        ("a", "", "problem"),
    ])
    func `a key that has just been made may still be missing`(_ served: String, _ ours: String, _ result: String) {
        let finding = IssuerCheck.finding(served: Set(served.map(String.init)), ours: Set(ours.map(String.init)))
        #expect(finding.result.word == result)
    }

    @Test(arguments: [
        ("user: session:", BeginSessionScript.source), ("session:", RefreshSessionScript.source),
        ("session:", TouchSessionScript.source), ("session:", EndSessionScript.source),
        ("session:", ListAccessTokenScript.source), ("session:", ChangeCookieScript.source),
        ("session:", DropCookieScript.source),
        ("session:", AddGrantScript.source), ("session:", EndGrantScript.source), ("session:", UpdateOwnerScript.source),
        ("session:", StrikeAccessTokensScript.source), ("session: user: feed: at:", FinishEndScript.source),
        ("session: user: feed: at:", EndUnchangedSessionScript.source),
        ("code:", IssueCodeScript.source),
        ("client:", ListClientTokenScript.source), ("client:", EndClientTokensScript.source),
        ("limit:", LimitScript.source), ("limit:", LimitRefundScript.source),
        ("it:", AdmitOnceScript.source), ("it:", ForgetOnceScript.source),
    ])
    func `every command of a script is one of the rights that are tried`(_ prefixes: String, _ script: String) {
        let prefixes = prefixes.split(separator: " ")
        let tried = RedisRights.commands.filter { tried in prefixes.contains { tried.prefix.hasPrefix($0) } }.flatMap {
            $0.commands.map { "\($0.name)" }
        }
        let sent = Set(script.matches(of: /redis\.call\('([A-Z]+)'/).map { String($0.1) })
        #expect(!sent.isEmpty)
        #expect(sent.subtracting(tried + ["SET"]) == [])
    }

    @Test func `words of libraries stay on one line`() {
        let report = DoctorReport(findings: [Finding("postgres", .problem("do\nthis"), "says \"no\";\t\u{1B}[31mred")])
        #expect(report.text.hasPrefix("problem  postgres  says 'no'; "))
        #expect(report.text.contains("\n                   -> do this\n"))
        #expect(!report.text.contains("\u{1B}"))
    }

    private static let facts = PostgresFacts(
        versionNumber: 170_002, version: "17.2", connections: 97, isDurable: true, commit: "on", usesTLS: false, isLocal: true,
        role: "kidoban", schema: "public", mayCreate: true, ownsTables: true, closedTables: [], clock: nil)
}
