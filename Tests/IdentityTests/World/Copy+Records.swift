import Postgres

@testable import Identity

extension Copy {
    private static let users = Statement(name: "test_user_count", sql: "SELECT count(*) FROM users")

    /// Whether PostgreSQL answers, now.
    var reachesPostgres: Bool {
        get async { (try? await rooms.postgres.ping()) != nil }
    }

    func userCount() async throws -> Int64 {
        try await rooms.postgres.query(Self.users)[0].int64(0)
    }
}
