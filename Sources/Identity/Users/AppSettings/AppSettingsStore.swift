package import Postgres
import Text

/// The settings of the app API's users in PostgreSQL. Who has never changed any has no row.
package struct AppSettingsStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    private static let ofUser = Statement(
        name: "app_settings_of_user", sql: "SELECT settings::text FROM app_settings WHERE user_id = $1::uuid", retryable: true)

    /// One statement, so that two changes of different settings at once both hold.
    private static let change = Statement(
        name: "app_settings_change",
        sql: """
            INSERT INTO app_settings (user_id, settings) VALUES ($1::uuid, $2::jsonb)
            ON CONFLICT (user_id) DO UPDATE SET settings = app_settings.settings || excluded.settings
            RETURNING settings::text
            """)

    /// - Throws: the store's failure.
    package func settings(of id: UserID) async throws(IdentityError) -> AppSettings {
        try await mapPostgresErrors { () throws(PostgresError) in
            try Self.settings(try await pool.query(Self.ofUser, [.uuid(id.description)]))
        }
    }

    /// Changes what is to be changed and leaves the rest.
    /// - Throws: `IdentityError.userNotFound`, or the store's failure.
    package func change(_ change: AppSettings.Change, of id: UserID) async throws(IdentityError) -> AppSettings {
        guard !change.isEmpty else { return try await settings(of: id) }
        do throws(PostgresError) {
            let parameters: [PostgresValue] = [.uuid(id.description), .json(UserStore.rendered(change.stored))]
            return try Self.settings(try await pool.query(Self.change, parameters))
        } catch .server(sqlState: "23503", _) {
            throw .userNotFound
        } catch {
            throw IdentityError(postgres: error)
        }
    }

    private static func settings(_ rows: Rows) throws(PostgresError) -> AppSettings {
        guard let row = rows.first else { return AppSettings() }
        return try settings(row, 0)
    }

    /// Those in a column; NULL for who has never changed any.
    static func settings(_ row: Row, _ column: Int) throws(PostgresError) -> AppSettings {
        guard let text = try row.optionalString(column) else { return AppSettings() }
        guard let stored = try? JSON.parse(text) else { throw .unexpectedColumn(column) }
        return AppSettings(stored: stored)
    }
}
