import Testing

@testable import Postgres

@Suite struct PostgresConfigurationTests {
    @Test(arguments: [
        ("postgres://user:hunter2@db.example:5433/kidoban?sslmode=verify-full", "db.example:5433/kidoban"),
        ("host=/run/postgresql dbname=kidoban password=hunter2", "/run/postgresql/kidoban"),
        ("postgresql://a:1,b:2/x?target_session_attrs=any", "a,b:1,2/x"),
        ("", "local/"),
    ])
    func `everything that libpq takes is taken`(text: String, target: String) throws {
        #expect(try PostgresConfiguration(connectionString: text).connectionString.target == target)
    }

    @Test(arguments: ["kidoban", "postgres://[::1/x", "nonsense=1", "postgres://u:p@h/d?bogus=1", "host=a\u{0}b", "host='open"])
    func `what libpq cannot read is refused`(text: String) {
        #expect(throws: PostgresError.invalidConnectionString) { try PostgresConfiguration(connectionString: text) }
    }

    @Test func `the connection string never prints`() throws {
        let configuration = try PostgresConfiguration(connectionString: "postgres://user:hunter2@db.example/kidoban")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test func `the server gives a statement up before the caller does`() throws {
        var configuration = try PostgresConfiguration(connectionString: "")
        #expect(configuration.statementTimeout == 4500)
        configuration.deadline = .zero
        #expect(configuration.statementTimeout == 1)
        configuration.deadline = .seconds(1 << 40)
        #expect(configuration.statementTimeout == Int64(Int32.max))
    }
}
