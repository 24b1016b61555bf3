import Crypto
import Postgres
package import Text

/// The OpenID and SAML providers that administrators of a Firebase project have written. They are given back, and sign nobody in: whom
/// the installation trusts is its operator's to say.
///
/// Each is sealed, because it may have a secret that the provider gave.
package struct ProjectProviders: Sendable {
    /// Of all together.
    package static let limit: Int64 = 200
    /// Of one, as JSON in bytes.
    package static let byteLimit = 16_384

    /// What came of a wish to write one.
    package enum Outcome<Refusal: Error>: Sendable {
        case written(JSONObject)
        case refused(Refusal)
        case exists
        case absent
        case tooMany
        case tooLarge
    }

    private let accounts: Accounts
    private let masterKey: MasterKey
    private var pool: PostgresPool { accounts.users.pool }

    package init(accounts: Accounts, masterKey: MasterKey) {
        self.accounts = accounts
        self.masterKey = masterKey
    }

    /// Nil where there is none of that name.
    /// - Throws: `IdentityError.unavailable`.
    package func configuration(_ name: String) async throws(IdentityError) -> JSONObject? {
        try await mapPostgresErrors { () throws(PostgresError) in
            guard let row = try await pool.query(Self.find, [.text(name)]).first else { return nil }
            return try open(row)
        }
    }

    /// The next ones whose names begin so, in the order of the names.
    /// - Parameter last: the last name of the page before.
    /// - Throws: `IdentityError.unavailable`.
    package func page(beginning prefix: String, after last: String, count: Int) async throws(IdentityError) -> [JSONObject] {
        // PostgreSQL takes no NUL, and no name has one.
        guard !last.utf8.contains(0) else { return [] }
        return try await mapPostgresErrors { () throws(PostgresError) in
            var (found, last, isOver): ([JSONObject], String, Bool) = ([], last, false)
            // Those that do not open make no page shorter: it would pass for the last one.
            while found.count < count, !isOver {
                let rows = try await pool.query(Self.list, [.text(prefix), .text(last), .integer(Int64(count))])
                isOver = rows.isEmpty
                for row in rows {
                    last = try row.string(0)
                    if found.count < count, let configuration = try open(row) { found.append(configuration) }
                }
            }
            return found
        }
    }

    /// - Throws: `IdentityError.unavailable`.
    package func add(
        _ configuration: JSONObject, named name: String, by client: Client, caller: Caller
    ) async throws(IdentityError) -> Outcome<Never> {
        guard let sealed = try seal(configuration, name) else { return .tooLarge }
        let time = accounts.system.statementTime
        let outcome = try await pool.transaction { transaction throws(IdentityError) in
            try await mapPostgresErrors { () throws(PostgresError) -> Outcome<Never> in
                // Of many at once none is one too many.
                _ = try await transaction.query(Self.lock, [])
                let row = try await transaction.query(Self.count, [.text(name)]).first
                if try row?.bool(1) == true { return .exists }
                guard try row?.int64(0) ?? 0 < Self.limit else { return .tooMany }
                _ = try await transaction.query(Self.insert, [time.parameter, .text(name), .bytes(sealed)])
                return .written(configuration)
            }
        }
        if case .written = outcome { await note(.projectProviderAdded, name, client, caller) }
        return outcome
    }

    /// Of two changes at once the second finds what the first has made.
    /// - Parameter change: what becomes of it, or why it is refused.
    /// - Throws: `IdentityError.unavailable`.
    package func change<Refusal>(
        _ name: String, by client: Client, caller: Caller, _ change: (JSONObject) -> Result<JSONObject, Refusal>
    ) async throws(IdentityError) -> Outcome<Refusal> {
        let time = accounts.system.statementTime
        let outcome = try await pool.transaction { transaction throws(IdentityError) -> Outcome<Refusal> in
            let before = try await mapPostgresErrors { () throws(PostgresError) -> JSONObject? in
                guard let row = try await transaction.query(Self.hold, [.text(name)]).first else { return nil }
                return try open(row)
            }
            guard let before else { return .absent }
            let changed: JSONObject
            switch change(before) {
            case .success(let object): changed = object
            case .failure(let refusal): return .refused(refusal)
            }
            guard let sealed = try seal(changed, name) else { return .tooLarge }
            return try await mapPostgresErrors { () throws(PostgresError) in
                _ = try await transaction.query(Self.update, [time.parameter, .text(name), .bytes(sealed)])
                return .written(changed)
            }
        }
        if case .written = outcome { await note(.projectProviderChanged, name, client, caller) }
        return outcome
    }

    /// - Returns: whether there was one.
    /// - Throws: `IdentityError.unavailable`.
    package func remove(_ name: String, by client: Client, caller: Caller) async throws(IdentityError) -> Bool {
        let wasThere = try await mapPostgresErrors { () throws(PostgresError) in
            try await pool.query(Self.delete, [.text(name)]).first != nil
        }
        if wasThere { await note(.projectProviderRemoved, name, client, caller) }
        return wasThere
    }

    private func note(_ kind: AuditKind, _ name: String, _ client: Client, _ caller: Caller) async {
        await accounts.note(
            kind, nil, by: .client(client.id), client, caller,
            detail: JSONObject([JSONObject.Member(key: "provider", value: .string(name))]))
    }

    /// Nil for one that is too large.
    private func seal(_ configuration: JSONObject, _ name: String) throws(IdentityError) -> [UInt8]? {
        let bytes = JSONValue.object(configuration).serialized
        guard bytes.count <= Self.byteLimit else { return nil }
        do throws(CryptoError) {
            return try Sealer(masterKey, .projectProviders).seal(bytes, boundTo: Self.context(name))
        } catch {
            throw .fault("the configuration of a provider cannot be sealed")
        }
    }

    /// Nil for one that no master key opens: it is as good as lost, and can be deleted.
    private func open(_ row: Row) throws(PostgresError) -> JSONObject? {
        let (name, sealed) = (try row.string(0), try row.bytes(1))
        let opened = try? Sealer(masterKey, .projectProviders).open(sealed, boundTo: Self.context(name))
        return opened.flatMap { try? JSON.parse($0.revealedBytes).objectValue }
    }

    static func context(_ name: String) -> [UInt8] { Array(name.utf8) }
}

extension ProjectProviders {
    /// Parameter: name.
    private static let find = Statement(
        name: "project_providers_find",
        sql: "SELECT name, sealed_configuration FROM project_providers WHERE name = $1::text", retryable: true)

    private static let hold = Statement(
        name: "project_providers_hold",
        sql: "SELECT name, sealed_configuration FROM project_providers WHERE name = $1::text FOR UPDATE")

    /// Parameters: how names begin, the name before, how many.
    private static let list = Statement(
        name: "project_providers_list",
        sql: """
            SELECT name, sealed_configuration FROM project_providers
            WHERE starts_with(name, $1::text) AND name > $2::text ORDER BY name LIMIT $3::bigint
            """, retryable: true)

    /// The key is of this table only.
    private static let lock = Statement(name: "project_providers_lock", sql: "SELECT pg_advisory_xact_lock(418581342581)")

    /// Parameter: name. Returns how many there are, and whether that name is one of them.
    private static let count = Statement(
        name: "project_providers_count",
        sql: "SELECT count(*), coalesce(bool_or(name = $1::text), false) FROM project_providers")

    /// Parameters: time, name, configuration.
    private static let insert = Statement(
        name: "project_providers_insert",
        sql: """
            INSERT INTO project_providers (name, sealed_configuration, updated_at) VALUES ($2::text, $3::bytea, \(SQL.now))
            """)

    /// Parameters: time, name, configuration.
    private static let update = Statement(
        name: "project_providers_update",
        sql: """
            UPDATE project_providers SET sealed_configuration = $3::bytea, updated_at = \(SQL.now) WHERE name = $2::text
            """)

    /// Parameter: name.
    private static let delete = Statement(
        name: "project_providers_delete", sql: "DELETE FROM project_providers WHERE name = $1::text RETURNING name")
}

/// What is recorded of the providers of a project.
extension AuditKind {
    package static let projectProviderAdded = AuditKind("project_provider_added")
    package static let projectProviderChanged = AuditKind("project_provider_changed")
    package static let projectProviderRemoved = AuditKind("project_provider_removed")
}
