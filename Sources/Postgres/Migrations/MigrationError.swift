/// Why the schema is not what this program needs. For the operator: texts may name hosts and database users, but no secrets.
package enum MigrationError: Error, Equatable, Sendable {
    /// The database cannot be reached, or was lost on the way. Steps that were done stay done.
    case unavailable(reason: String)
    /// Another process holds the lock for longer than this one may wait.
    case locked
    /// The database holds text in this encoding, and not in UTF-8: what people are called could not be stored.
    case wrongEncoding(String)
    /// The schema is of a newer program: step `found`, where this one knows `known` steps.
    case schemaNewer(found: Int, known: Int)
    /// A step was applied with other SQL than this program has for it.
    case changed(version: Int)
    /// PostgreSQL refused a step, which was rolled back. Version 0 is the bookkeeping itself.
    case failed(version: Int, sqlState: String, message: String?)
}

extension MigrationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let reason):
            "the database cannot be reached: \(reason)"
        case .locked:
            "another process is migrating the database and has not finished in time"
        case .wrongEncoding(let encoding):
            "the database is encoded in \(encoding) and has to be in UTF8: make another with "
                + "CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0, move the data there with pg_dump, and correct DATABASE_URL"
        case .schemaNewer(let found, let known):
            "the database schema is at version \(found), newer than version \(known) that this program knows"
        case .changed(let version):
            "migration \(version) was applied to the database with a different text than this program has"
        case .failed(let version, let sqlState, let message):
            "migration \(version) failed with SQLSTATE \(sqlState)" + (message.map { ": \($0)" } ?? "")
        }
    }
}
