import Crypto
import Identity
import Logging
import Networking
import Postgres
import Text

/// What a PostgreSQL server says of itself and of our role.
struct PostgresFacts: Sendable {
    /// As `server_version_num` has it: 170002 for 17.2.
    var versionNumber: Int
    var version: String
    /// `server_encoding`.
    var encoding = "UTF8"
    /// Connections that roles like ours may open in all, over all copies.
    var connections: Int
    var isDurable: Bool
    /// `synchronous_commit`.
    var commit: String
    var usesTLS: Bool
    var isLocal: Bool
    var role: String
    /// Where new tables go; nil when our role may use no schema.
    var schema: String?
    var mayCreate: Bool
    var ownsTables: Bool
    /// Tables of ours that our role may not read and write.
    var closedTables: [String]
    var clock: ClockOffset?
    /// Whether there is room for more than there is. Nil when our role may not try.
    var hasRoom: Bool?
}

/// Asks PostgreSQL, as the server would.
struct PostgresProbe: Sendable {
    /// What came of it.
    struct Outcome: Sendable {
        var pending: Result<[Migration], MigrationError>
        /// Nil when the questions could not be asked.
        var facts: PostgresFacts?
        /// Nil without a master key.
        var keys: Result<KeyRing, SigningKeyStore.Failure>?
        /// Nil while there is no outbox.
        var mailsWaiting: Int?
        /// What is sealed with which master key, and which are in use; nil while there are no tables.
        var sealed: MasterKeyCheck.Sealed?
    }

    private let configuration: Configuration
    private let loop: EventLoop
    private let connecting: BlockingPool

    init(_ configuration: Configuration, loop: EventLoop, connecting: BlockingPool) {
        self.configuration = configuration
        self.loop = loop
        self.connecting = connecting
    }

    func run() async -> Outcome {
        let migrator = Migrator(Schema.migrations, configuration: configuration.database, logger: .disabled)
        let result = try? await connecting.run { Result { () throws(MigrationError) in try migrator.pending() } }
        var outcome = Outcome(pending: result ?? .failure(.unavailable(reason: "busy")))
        if case .failure(.unavailable) = outcome.pending { return outcome }
        let pool = PostgresPool(configuration.database, loop: loop, connecting: connecting, logger: .disabled)
        do throws(PostgresError) {
            outcome.facts = try PostgresFacts(try await pool.query(Self.question).first)
            outcome.facts?.clock = try await clock(pool)
            outcome.facts?.hasRoom = await hasRoom(pool)
            outcome.keys = await keys(pool)
            outcome.sealed = MasterKeyCheck.Sealed(
                counts: try await Resealing.counts(pool), uses: try await MasterKeyUses(pool: pool).all(at: .postgres),
                clients: try await ClientStore(pool: pool).all())
            outcome.mailsWaiting = try await JobQueue(pool: pool).counts(at: .postgres)[.mail]?.waiting ?? 0
        } catch {}
        await pool.close()
        return outcome
    }

    private func clock(_ pool: PostgresPool) async throws(PostgresError) -> ClockOffset? {
        let asked = Timestamp.now()
        guard let row = try await pool.query(Self.time).first else { return nil }
        let theirs = Timestamp(milliseconds: try row.timestamp(0))
        return ClockOffset(theirs: theirs, asked: asked, answered: Timestamp.now())
    }

    /// Writes a megabyte that nobody sees, and that is gone with the transaction.
    private func hasRoom(_ pool: PostgresPool) async -> Bool? {
        do throws(PostgresError) {
            try await pool.transaction { transaction throws(PostgresError) in
                _ = try await transaction.query(Self.fill)
            }
            return true
        } catch {
            return await pool.refusesWrites ? false : nil
        }
    }

    private static let fill = Statement(
        name: "doctor_fill",
        sql: """
            CREATE TEMPORARY TABLE kidoban_doctor ON COMMIT DROP AS
            SELECT repeat(md5(n::text), 30) AS filling FROM generate_series(1, 1000) AS n
            """)

    /// Makes no keys.
    private func keys(_ pool: PostgresPool) async -> Result<KeyRing, SigningKeyStore.Failure>? {
        guard let masterKey = configuration.secrets.acceptedMasterKeys else { return nil }
        let store = SigningKeyStore(
            pool: pool, masterKey: masterKey, computing: connecting,
            system: SystemContext(now: { Timestamp.now() }, random: { SecureRandom.bytes($0) }))
        do throws(SigningKeyStore.Failure) {
            return .success(try await store.load(ensuring: []))
        } catch {
            return .failure(error)
        }
    }

    private static let time = Statement(name: "doctor_time", sql: "SELECT clock_timestamp()")

    /// Our tables are those that lie where `schema_migrations` lies and have its owner.
    private static let question = Statement(
        name: "doctor_facts",
        sql: """
            WITH tables AS (
                SELECT c.oid, c.relname, c.relowner FROM pg_class c JOIN pg_class m
                ON m.oid = to_regclass('schema_migrations') AND m.relnamespace = c.relnamespace AND m.relowner = c.relowner
                WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
            )
            SELECT current_setting('server_version_num')::int, current_setting('server_version'),
                current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                    - coalesce(current_setting('reserved_connections', true), '0')::int,
                (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user),
                (SELECT datconnlimit FROM pg_database WHERE datname = current_database()),
                current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',
                current_setting('synchronous_commit'),
                coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
                inet_client_addr() IS NULL OR inet_client_addr() <<= inet '127.0.0.0/8' OR inet_client_addr() = inet '::1',
                current_user::text, current_schema()::text,
                coalesce(has_schema_privilege(current_schema()::text, 'CREATE'), false),
                coalesce((SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM tables), true),
                array(
                    SELECT relname::text FROM tables
                    WHERE NOT has_table_privilege(oid, 'SELECT') OR relname <> 'schema_migrations' AND NOT (
                        has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
                        AND has_table_privilege(oid, 'DELETE')
                    )
                    ORDER BY relname
                ), current_setting('server_encoding')
            """)
}

extension PostgresFacts {
    fileprivate init?(_ row: Row?) throws(PostgresError) {
        guard let row else { return nil }
        versionNumber = Int(try row.int64(0))
        version = try row.string(1)
        let limits = [try row.int64(2), try row.optionalInt64(3) ?? -1, try row.optionalInt64(4) ?? -1]
        connections = limits.filter { $0 >= 0 }.min().map { Int($0) } ?? 0
        isDurable = try row.bool(5)
        commit = try row.string(6)
        usesTLS = try row.bool(7)
        isLocal = try row.bool(8)
        role = try row.string(9)
        schema = try row.optionalString(10)
        mayCreate = try row.bool(11)
        ownsTables = try row.bool(12)
        closedTables = try row.strings(13)
        encoding = try row.string(14)
    }
}
