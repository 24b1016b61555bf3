import Crypto
import Postgres
import Text

/// A column of sealed values: how to find those of a master key, and what each is bound to.
///
/// Whoever stores something sealed adds the column to `all` and to `counts`; it takes part in the rotation of the master key by that.
struct SealedColumn: Sendable {
    /// For operators.
    let name: String
    let purpose: MasterKey.Purpose
    /// Parameters: how the values of a master key begin, how many. Returns the place of the row, what the value is bound to as a list of
    /// texts, and the value; nobody else changes the rows before the transaction ends.
    let batch: Statement
    /// Parameters: the place of a row, the value.
    let replace: Statement
    /// Of the list of texts.
    let context: @Sendable ([String]) -> [UInt8]

    /// Every column there is.
    static let all = [
        SealedColumn(
            name: "signing keys", purpose: .signingKeys,
            batch: Statement(name: "sealed_signing_keys", sql: batch("signing_keys", "sealed_private_key", "kid")),
            replace: Statement(name: "reseal_signing_key", sql: replace("signing_keys", "sealed_private_key")),
            context: { SealedKey.context($0[0]) }),
        SealedColumn(
            name: "mails", purpose: .mail,
            batch: Statement(name: "sealed_mails", sql: batch("jobs", "sealed", "id", where: "kind = 'mail'")),
            replace: Statement(name: "reseal_mail", sql: replace("jobs", "sealed")),
            context: { Array($0[0].utf8) }),
        SealedColumn(
            name: "account changes", purpose: .accountChanges,
            batch: Statement(name: "sealed_account_changes", sql: batch("account_changes", "sealed_before", "id")),
            replace: Statement(name: "reseal_account_change", sql: replace("account_changes", "sealed_before")),
            context: { Array($0[0].utf8) }),
        SealedColumn(
            name: "provider tokens", purpose: .providerTokens,
            batch: Statement(
                name: "sealed_provider_tokens", sql: batch("provider_tokens", "sealed_token", "provider, subject, client_id")),
            replace: Statement(name: "reseal_provider_token", sql: replace("provider_tokens", "sealed_token")),
            context: { Sealer.context($0) }),
        SealedColumn(
            name: "revocations", purpose: .providerTokens,
            batch: Statement(
                name: "sealed_revocations",
                sql: batch(
                    "jobs", "sealed", "topic, payload->>'subject', payload->>'client_id'", where: "kind = 'provider_revocation'")),
            replace: Statement(name: "reseal_revocation", sql: replace("jobs", "sealed")),
            context: { Sealer.context($0) }),
        SealedColumn(
            name: "project providers", purpose: .projectProviders,
            batch: Statement(
                name: "sealed_project_providers", sql: batch("project_providers", "sealed_configuration", "name")),
            replace: Statement(name: "reseal_project_provider", sql: replace("project_providers", "sealed_configuration")),
            context: { Array($0[0].utf8) }),
    ]

    /// How many values of each column begin how: the name of the column, the beginning, the number.
    static let counts = Statement(
        name: "sealed_counts",
        sql: """
            \(count("signing keys", "signing_keys", "sealed_private_key")) UNION ALL \(count("mails", "jobs", "sealed", where: "kind = 'mail'"))
            UNION ALL \(count("account changes", "account_changes", "sealed_before"))
            UNION ALL \(count("provider tokens", "provider_tokens", "sealed_token"))
            UNION ALL \(count("revocations", "jobs", "sealed", where: "kind = 'provider_revocation'"))
            UNION ALL \(count("project providers", "project_providers", "sealed_configuration"))
            """, retryable: true)

    /// A place stays the same for as long as its row is locked.
    private static func batch(_ table: SQL, _ column: SQL, _ context: SQL, where condition: SQL = "true") -> SQL {
        """
        SELECT ctid::text, to_json(ARRAY[\(context)])::text, \(column) FROM \(table)
        WHERE substring(\(column) FROM 1 FOR 9) = $1::bytea AND \(condition) LIMIT $2::bigint FOR UPDATE SKIP LOCKED
        """
    }

    private static func replace(_ table: SQL, _ column: SQL) -> SQL {
        "UPDATE \(table) SET \(column) = $2::bytea WHERE ctid = $1::tid"
    }

    private static func count(_ name: SQL, _ table: SQL, _ column: SQL, where condition: SQL = "true") -> SQL {
        """
        SELECT '\(name)' AS name, substring(\(column) FROM 1 FOR 9) AS header, count(*) AS count FROM \(table)
        WHERE \(column) IS NOT NULL AND \(condition) GROUP BY header
        """
    }
}
