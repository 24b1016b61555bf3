import Postgres

@testable import Identity

extension Copy {
    private static let users = Statement(name: "test_user_count", sql: "SELECT count(*) FROM users")

    static let verification = Statement(
        name: "test_verify_email", sql: "UPDATE users SET email_verified = true WHERE id = $1::uuid")

    /// Whether PostgreSQL answers, now.
    var reachesPostgres: Bool {
        get async { (try? await rooms.postgres.ping()) != nil }
    }

    func userCount() async throws -> Int64 {
        try await rooms.postgres.query(Self.users)[0].int64(0)
    }
}
