import Postgres

extension Schema {
    /// What the most costly bcrypt hash is, which every sign-in asks. The hashes that can be checked are those of `Bcrypt.costs`.
    static let importedHashes = Migration(
        version: 10,
        name: "imported_hashes",
        sql: #"""
            CREATE INDEX users_by_imported_hash ON users ((substr(password_hash, 5, 2)))
            WHERE password_hash ~ '^\$2[aby]\$(0[4-9]|1[0-4])\$';
            """#)
}
