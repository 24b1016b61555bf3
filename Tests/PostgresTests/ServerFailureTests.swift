import Testing

@testable import Postgres

@Suite struct ServerFailureTests {
    @Test(arguments: ["53300", "53100", "57P01", "57P02", "57P03", "57P04", "08006", "08001", "58030", "25P03"])
    func `a server that cannot serve is unavailable`(sqlState: String) {
        #expect(ServerFailure(sqlState: sqlState).remedy == .report(.unavailable))
    }

    @Test func `a duplicate names its constraint`() {
        let failure = ServerFailure(sqlState: "23505", constraint: "users_email_key")
        #expect(failure.remedy == .report(.uniqueViolation(constraint: "users_email_key")))
    }

    @Test func `a cancelled statement has missed its deadline`() {
        #expect(ServerFailure(sqlState: "57014").remedy == .report(.deadlineExceeded))
    }

    @Test func `a read-only server is left`() {
        #expect(ServerFailure(sqlState: "25006").remedy == .leaveServer)
    }

    @Test(arguments: ["26000", "0A000"])
    func `a lost or outdated plan is prepared again`(sqlState: String) {
        #expect(ServerFailure(sqlState: sqlState).remedy == .prepareAgain)
    }

    @Test(arguments: ["42P01", "23503", "22P02", "08P01", "40001", "40P01"])
    func `other errors are reported by their code`(sqlState: String) {
        #expect(ServerFailure(sqlState: sqlState).remedy == .report(.server(sqlState: sqlState, constraint: nil)))
    }

    @Test(arguments: [("40001", true), ("40P01", true), ("40003", false), ("23505", false)])
    func `serialization failures and deadlocks are conflicts`(sqlState: String, isConflict: Bool) {
        #expect(PostgresError.server(sqlState: sqlState, constraint: nil).isConflict == isConflict)
    }

    @Test(arguments: [("22P02", false), ("23505", false), ("P0001", false), ("42P01", true), ("53100", true)])
    func `words that may quote data are not kept`(sqlState: String, isKept: Bool) {
        #expect((ServerFailure(sqlState: sqlState, message: "words").message != nil) == isKept)
    }
}
