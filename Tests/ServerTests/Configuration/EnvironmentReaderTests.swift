import Identity
import Networking
import Postgres
import Redis
import Testing

@testable import Server

@Suite struct EnvironmentReaderTests {
    @Test func `an empty environment gives the defaults of the type`() throws {
        let configuration = try Sample.read([:])
        let standard = Configuration()
        #expect(configuration.http.listen == standard.http.listen)
        #expect(configuration.sessions.refreshPolicy == .standard)
        #expect(configuration.sessions.lifetime == .standard)
        #expect(configuration.redis.endpoint == standard.redis.endpoint)
        #expect(configuration.database.connectionString.target == "localhost/kidoban")
        #expect(configuration.audience == "http://localhost:8080")
        #expect(configuration.secrets.masterKey == nil)
    }

    @Test func `all problems are reported at once`() {
        let problems = Sample.problems(
            [
                "KIDOBAN_LISTEN": "nowhere", "KIDOBAN_LOOPS": "many", "KIDOBAN_LISTN": "127.0.0.1:80", "DATABASE_URL": "nonsense",
                "REDIS_URL": "nonsense", "KIDOBAN_REFRESH_GRACE": "30m", "KIDOBAN_REFRESH_RECOVERY": "1m",
            ], masterKey: .required)
        #expect(
            Set(problems.map(\.name)) == [
                "KIDOBAN_LISTEN", "KIDOBAN_LOOPS", "KIDOBAN_LISTN", "DATABASE_URL", "REDIS_URL", "KIDOBAN_MASTER_KEY",
                "KIDOBAN_REFRESH_GRACE",
            ])
        #expect(problems.count == 7)
    }

    @Test func `problems are printed one on a line, with what would be right`() {
        let problems = ConfigurationProblems(problems: [
            ConfigurationProblem("KIDOBAN_LOOPS", .refused("is not a whole number"), expected: "a whole number from 0 to 256"),
            ConfigurationProblem("KIDOBAN_LISTN", .unknown(nearest: "KIDOBAN_LISTEN")),
            ConfigurationProblem("KIDOBAN_MASTER_KEY", .missing, expected: "32 bytes"),
            ConfigurationProblem("REDIS_URL", .givenTwice, expected: "one of them"),
        ])
        #expect(
            problems.description == """
                  KIDOBAN_LOOPS is not a whole number; expected a whole number from 0 to 256
                  KIDOBAN_LISTN is not a setting; the nearest is KIDOBAN_LISTEN
                  KIDOBAN_MASTER_KEY is missing; expected 32 bytes
                  REDIS_URL and REDIS_URL_FILE are both given; expected one of them

                """)
    }

    @Test func `the master key is missed only where it is needed`() {
        #expect(Sample.problems([:], masterKey: .optional).isEmpty)
        #expect(Sample.problems([:], masterKey: .required).map(\.reason) == [.missing])
        #expect(Sample.problems(["KIDOBAN_MASTER_KEY": Sample.masterKey], masterKey: .required).isEmpty)
        #expect(Sample.problems(["KIDOBAN_MASTER_KEY": "wrong"], masterKey: .required).count == 1)
    }

    @Test(arguments: [
        ("KIDOBAN_LISTN", "KIDOBAN_LISTEN"), ("KIDOBAN_LISTEN_FILE", "KIDOBAN_LISTEN"),
        ("KIDOBAN_OPERATION_LISTEN", "KIDOBAN_OPERATIONS_LISTEN"), ("KIDOBAN_DATABASE_URL", "DATABASE_URL"),
        ("KIDOBAN_REDIS_URL_FILE", "REDIS_URL_FILE"), ("KIDOBAN_MASTERKEY", "KIDOBAN_MASTER_KEY"),
        ("KIDOBAN_MASTER_KEYFILE", "KIDOBAN_MASTER_KEY_FILE"), ("KIDOBAN_LOGLEVEL", "KIDOBAN_LOG_LEVEL"),
        ("KIDOBAN_ACCESS_LIFETIME", "KIDOBAN_ACCESS_TOKEN_LIFETIME"), ("KIDOBAN_ISUSER", "KIDOBAN_ISSUER"),
    ])
    func `an unknown name is a problem that suggests the nearest`(_ name: String, _ nearest: String) {
        #expect(Sample.problems([name: "1"]) == [ConfigurationProblem(name, .unknown(nearest: nearest))])
    }

    @Test func `a name that is very long or hostile is still printed on one line`() {
        let problems = Sample.problems(["KIDOBAN_\u{1B}[2J\n" + String(repeating: "X", count: 100_000): "1"])
        #expect(problems.count == 1)
        let text = problems.map(\.description).joined()
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
        #expect(text.utf8.count < 1000)
    }

    @Test(arguments: [
        "KIDOBAN_URL", "KIDOBAN_OPERATIONS_URL", "KIDOBAN_CLIENT_ID", "KIDOBAN_CLIENT_SECRET", "KIDOBAN_PID",
        "KIDOBAN_TEST_DATABASE_URL", "KIDOBAN_TEST_ANYTHING", "PATH", "DATABASE_URI", "MY_KIDOBAN_LISTEN", "kidoban_listen",
    ])
    func `names that are not ours to judge are ignored`(_ name: String) {
        #expect(Sample.problems([name: "anything"]).isEmpty)
    }
}
