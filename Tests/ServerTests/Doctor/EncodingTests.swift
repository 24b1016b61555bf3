import TestSupport
import Testing

/// A database that does not hold every character is told of before anybody's name is lost in it.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct EncodingTests {
    @Test(arguments: ["LATIN1", "SQL_ASCII"])
    func `a database that is not in UTF-8 is refused by doctor and at the start`(_ encoding: String) async throws {
        let database = try TestDatabase(encoding: encoding)
        let environment = try TestEnvironment().with(["DATABASE_URL": database.connectionString])
        let examination = try await Examination(environment)
        #expect(examination.status == 1)
        #expect(examination.results("postgres-encoding") == ["problem"])
        #expect(examination.detail("postgres-encoding")?.contains(encoding) == true)
        for command in [["serve"], ["migrate"], ["user", "find", "mei@"]] {
            let outcome = try await Kidoban.run(command, environment: environment)
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("is encoded in \(encoding) and has to be in UTF8"), "\(outcome.output)")
        }
        #expect(
            try TestDatabase.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", on: database.connectionString)
                == [])
    }
}
