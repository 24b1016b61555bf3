import Postgres

@testable import Identity

extension Copy {
    private static let users = Statement(name: "test_user_count", sql: "SELECT count(*) FROM users")

    static let verification = Statement(
        name: "test_verify_email", sql: "UPDATE users SET email_verified = true WHERE id = $1::uuid")

    private static let lockUser = Statement(
        name: "test_lock_user", sql: "SELECT 1 FROM users WHERE id = $1::uuid FOR UPDATE")

    /// Waits for whoever holds a user's row, also if he is not there any more to hear of the end.
    func waitForOthers(on id: UserID) async throws {
        try await eventually { (try? await parts.postgres.query(Self.lockUser, [.uuid(id.description)])) != nil }
    }

    /// Whether PostgreSQL answers, now.
    var reachesPostgres: Bool {
        get async { (try? await parts.postgres.ping()) != nil }
    }

    func userCount() async throws -> Int64 {
        try await parts.postgres.query(Self.users)[0].int64(0)
    }
}
