import Identity
import Logging
import Postgres

/// `kidoban migrate`: brings the database to the newest step of the schema, under a lock, and says which steps were applied.
enum Migrate {
    /// - Returns: one of `ExitStatus`.
    static func run(_ configuration: Configuration, _ console: Console) -> Int32 {
        let migrator = Migrator(Schema.migrations, configuration: configuration.database, logger: .disabled)
        do throws(MigrationError) {
            let applied = try migrator.apply()
            guard !applied.isEmpty else { return console.print("The database is up to date.\n") }
            return console.print(applied.map { "Applied \($0.version) \($0.name)\n" }.joined())
        } catch {
            console.complain("the database cannot be migrated: \(error)")
            return ExitStatus.failure
        }
    }
}
