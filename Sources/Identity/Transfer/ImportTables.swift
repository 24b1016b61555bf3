import Postgres
import Text

/// The statements of an import: rows go to temporary tables by COPY, are judged there, and those that may go on.
struct ImportTables {
    enum Verdict {
        case known, merged
        case refused(TransferProblem.Reason)
    }

    /// lock_not_available, which the lock of a second import gives.
    static let lockedState = "55P03"
    /// unique_violation.
    static let takenState = "23505"
    /// "kidoimp" in ASCII.
    private static let lockKey = 30_231_710_505_499_504

    let connection: BulkConnection
    private let options: UserImport.Options
    /// By the server's clock, in microseconds.
    let startedAt: Int64
    private let holdsLock: Bool

    /// Makes the temporary tables, and keeps other imports out until `unlock` or the end of the connection.
    /// - Parameter startedAt: when the import began that this is a part of, and which keeps the others out.
    init(
        _ connection: BulkConnection, _ options: UserImport.Options, startedAt: Int64? = nil
    ) throws(BulkConnection.Failure) {
        self.connection = connection
        self.options = options
        holdsLock = startedAt == nil
        try Self.makeTables(connection)
        if let startedAt {
            self.startedAt = startedAt
            return
        }
        let isFree = try connection.run("SELECT pg_try_advisory_lock(\(Self.lockKey))").first.flatMap { try? $0.bool(0) }
        guard isFree == true else { throw .refused(sqlState: Self.lockedState, message: nil) }
        let clock = try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").first
        guard let time = clock.flatMap({ try? $0.int64(0) }) else { throw .mismatch }
        self.startedAt = time
    }

    private static func makeTables(_ connection: BulkConnection) throws(BulkConnection.Failure) {
        try connection.runScript(
            """
            CREATE TEMPORARY TABLE import_users (
                number bigint, has_id boolean, id uuid, email text, email_normalized text, email_verified boolean, email_claimed boolean,
                password_hash text, display_name text, photo_url text, phone_number text, is_anonymous boolean, claims jsonb,
                roles text[], disabled_at timestamptz, created_at timestamptz, updated_at timestamptz, last_sign_in_at timestamptz,
                tokens_valid_after timestamptz, email_confirmed_at timestamptz, verdict text, existing uuid
            ) ON COMMIT DELETE ROWS;
            CREATE TEMPORARY TABLE import_aliases (number bigint, user_id uuid, source text, id text) ON COMMIT DELETE ROWS;
            CREATE TEMPORARY TABLE import_identities (
                number bigint, user_id uuid, provider text, subject text, audience text, email text, email_verified boolean,
                is_private_email boolean, created_at timestamptz, last_used_at timestamptz, mail_forwarding boolean,
                mail_forwarding_changed_at timestamptz, blocked_at timestamptz, standing_changed_at timestamptz,
                proofs_void_before timestamptz
            ) ON COMMIT DELETE ROWS;
            CREATE TEMPORARY TABLE import_profiles (
                number bigint, user_id uuid, profile bigint, username text, username_folded text, first_name text, last_name text
            ) ON COMMIT DELETE ROWS;
            CREATE TEMPORARY TABLE import_settings (number bigint, user_id uuid, settings jsonb) ON COMMIT DELETE ROWS;
            CREATE TEMPORARY TABLE import_seen (key text PRIMARY KEY);
            CREATE INDEX import_users_by_id ON import_users (id);
            CREATE INDEX import_aliases_by_user ON import_aliases (user_id);
            CREATE INDEX import_identities_by_user ON import_identities (user_id);
            CREATE INDEX import_profiles_by_user ON import_profiles (user_id);
            CREATE INDEX import_settings_by_user ON import_settings (user_id);
            """)
    }

    /// Stores a batch in one transaction.
    /// - Parameter yields: whether a row that somebody else has written in this very moment is left as it is; it is dearer, and a unique
    ///   violation (`takenState`) otherwise.
    /// - Returns: what was decided on users who are not simply added, by their numbers; and how known users differ, if that is asked for.
    func store(
        _ batch: ImportBatch, yields: Bool
    ) throws(BulkConnection.Failure) -> (verdicts: [Int: Verdict], differences: [UserImport.Difference]) {
        let rows = ImportRows(batch, to: .temporary)
        return try connection.transaction { () throws(BulkConnection.Failure) in
            try connection.copy(rows.users, to: "import_users (number, has_id, \(ImportRows.userColumns))")
            try connection.copy(rows.aliases, to: "import_aliases")
            try connection.copy(rows.identities, to: "import_identities (number, \(ImportRows.identityColumns))")
            try connection.copy(rows.profiles, to: "import_profiles")
            try connection.copy(rows.settings, to: "import_settings")
            try connection.runScript(Self.useIndices)
            try judge()
            let differences = options.updates ? try differences() : []
            if options.isDryRun { try remember() } else { try write(batch.users.count, yields) }
            return (try verdicts(), differences)
        }
    }

    /// The temporary tables have no statistics, and `users` may have those of an empty table, by which the checks of foreign keys would read
    /// all of it for each row: what is looked up in has an index, and it is used.
    static let useIndices = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off"

    /// Marks who is here already, and whom something of somebody else's is in the way of.
    private func judge() throws(BulkConnection.Failure) {
        // Whoever was added by this run was in the file before.
        try connection.run(
            """
            UPDATE import_users i SET existing = a.user_id,
                verdict = CASE WHEN a.created_at >= to_timestamp($1::bigint / 1000000.0) THEN 'duplicate' ELSE 'known' END
            FROM import_aliases ia JOIN user_aliases a ON a.source = ia.source AND a.id = ia.id
            WHERE ia.user_id = i.id
            """, [.integer(startedAt)])
        try connection.runScript(
            """
            UPDATE import_users i SET verdict = 'duplicate' FROM import_seen s
            WHERE i.verdict IS NULL AND i.has_id AND s.key = 'd' || i.id;

            INSERT INTO import_seen (key) SELECT 'd' || id FROM import_users WHERE verdict IS NULL AND has_id
            """)
        // An id without any alias is one of ours, out of an export.
        try connection.run(
            """
            UPDATE import_users i SET existing = u.id,
                verdict = CASE WHEN EXISTS (SELECT FROM import_aliases ia WHERE ia.user_id = i.id AND NOT EXISTS (
                    SELECT FROM user_aliases a WHERE a.source = ia.source AND a.id = ia.id)) THEN 'id_taken' ELSE 'known' END
            FROM users u WHERE i.verdict IS NULL AND i.has_id AND u.id = i.id
            """)
        try connection.runScript(Self.refuseForeignIDs)
        try connection.run(
            """
            UPDATE import_users i SET existing = u.id,
                verdict = CASE WHEN $1::boolean AND i.email_verified AND u.email_verified AND u.disabled_at IS NULL
                    THEN 'merged' ELSE 'email_taken' END
            FROM users u
            WHERE i.verdict IS NULL AND NOT i.email_claimed AND u.email_normalized = i.email_normalized AND NOT u.email_claimed
            """, [.bool(options.merges)])
        try connection.run(
            """
            UPDATE import_users i SET verdict = 'identity_taken'
            FROM import_identities ii JOIN identities x ON x.provider = ii.provider AND x.subject = ii.subject
            WHERE ii.user_id = i.id AND (i.verdict IS NULL OR i.verdict = 'merged' AND x.user_id <> i.existing)
            """)
        try connection.runScript(
            """
            UPDATE import_users i SET verdict = 'phone_taken' FROM users u
            WHERE i.verdict IS NULL AND u.phone_number = i.phone_number
            """)
        try connection.run(
            """
            UPDATE import_users i SET verdict = 'username_taken'
            FROM import_profiles ip
            WHERE ip.user_id = i.id AND i.verdict IS NULL AND (
                EXISTS (SELECT FROM profiles p WHERE p.username_folded = ip.username_folded)
                OR EXISTS (SELECT FROM profiles p WHERE p.number = ip.profile))
            """)
        try connection.run(
            """
            UPDATE import_users i SET verdict = 'id_taken'
            FROM import_aliases ia JOIN user_aliases a ON a.source = ia.source
            WHERE ia.user_id = i.id AND i.verdict = 'merged' AND a.user_id = i.existing
            """)
    }

    /// By which names ids are kept. There are few, and the index has them in order.
    static let withSources = """
        WITH RECURSIVE sources AS (
            (SELECT source FROM user_aliases ORDER BY source LIMIT 1)
            UNION ALL
            SELECT (SELECT a.source FROM user_aliases a WHERE a.source > s.source ORDER BY a.source LIMIT 1)
            FROM sources s WHERE s.source IS NOT NULL
        )
        """

    /// An id there that is the id of another user here, or the other way round: whoever looks a user up by either must find one.
    private static let refuseForeignIDs = """
        UPDATE import_users i SET verdict = 'id_taken'
        FROM import_aliases ia JOIN users u ON u.id = CASE
            WHEN ia.id ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN ia.id::uuid END
        WHERE i.verdict IS NULL AND ia.user_id = i.id AND u.id <> i.id;

        \(withSources)
        UPDATE import_users i SET verdict = 'id_taken'
        FROM sources s
        WHERE i.verdict IS NULL AND i.has_id AND s.source IS NOT NULL
            AND EXISTS (SELECT FROM user_aliases a WHERE a.source = s.source AND a.id = i.id::text AND a.user_id <> i.id)
        """

    /// Writes those that nothing is in the way of.
    private func write(_ count: Int, _ yields: Bool) throws(BulkConnection.Failure) {
        let conflict = yields ? "ON CONFLICT DO NOTHING" : ""
        let added = try connection.run(
            """
            INSERT INTO users (\(ImportRows.userColumns))
            SELECT id, email, email_normalized, email_verified, email_claimed, password_hash, display_name, photo_url, phone_number,
                is_anonymous, coalesce(claims, '{}'), coalesce(roles, '{}'), disabled_at, created_at, updated_at, last_sign_in_at,
                tokens_valid_after, email_confirmed_at
            FROM import_users WHERE verdict IS NULL
            \(conflict)
            """
        ).affectedCount
        if added < count {
            // Somebody has signed up with the address, or the number, in this very moment.
            try connection.run(
                """
                UPDATE import_users i SET verdict = CASE
                    WHEN EXISTS (SELECT FROM users u WHERE u.phone_number = i.phone_number) THEN 'phone_taken' ELSE 'email_taken' END
                WHERE i.verdict IS NULL AND NOT EXISTS (SELECT FROM users u WHERE u.id = i.id)
                """)
        }
        try connection.runScript(Self.hangOn(conflict))
        if options.updates { try connection.runScript(Self.updateProfiles) }
    }

    private static func hangOn(_ conflict: String) -> String {
        """
        INSERT INTO user_aliases (source, id, user_id, created_at)
        SELECT a.source, a.id, coalesce(i.existing, i.id), clock_timestamp()
        FROM import_aliases a JOIN import_users i ON i.id = a.user_id WHERE i.verdict IS NULL OR i.verdict = 'merged'
        \(conflict);

        INSERT INTO identities (\(ImportRows.identityColumns))
        SELECT coalesce(i.existing, i.id), x.provider, x.subject, x.audience, x.email, x.email_verified, x.is_private_email,
            x.created_at, x.last_used_at, x.mail_forwarding, x.mail_forwarding_changed_at, x.blocked_at, x.standing_changed_at,
            x.proofs_void_before
        FROM import_identities x JOIN import_users i ON i.id = x.user_id WHERE i.verdict IS NULL OR i.verdict = 'merged'
        \(conflict);

        INSERT INTO profiles (user_id, number, username, username_folded, first_name, last_name)
        SELECT p.user_id, p.profile, p.username, p.username_folded, p.first_name, p.last_name
        FROM import_profiles p JOIN import_users i ON i.id = p.user_id WHERE i.verdict IS NULL AND p.profile IS NOT NULL
        \(conflict);

        INSERT INTO profiles (user_id, username, username_folded, first_name, last_name)
        SELECT p.user_id, p.username, p.username_folded, p.first_name, p.last_name
        FROM import_profiles p JOIN import_users i ON i.id = p.user_id WHERE i.verdict IS NULL AND p.profile IS NULL
        \(conflict);

        INSERT INTO app_settings (user_id, settings)
        SELECT s.user_id, s.settings
        FROM import_settings s JOIN import_users i ON i.id = s.user_id WHERE i.verdict IS NULL
        \(conflict)
        """
    }

    /// That of the file, if it has one and nobody else has that.
    private static let phoneNumber = """
        CASE WHEN EXISTS (SELECT FROM users o WHERE o.phone_number = i.phone_number AND o.id <> u.id) THEN u.phone_number
            ELSE coalesce(i.phone_number, u.phone_number) END
        """

    private static let profileDiffers = """
        (coalesce(i.display_name, u.display_name) IS DISTINCT FROM u.display_name
            OR coalesce(i.photo_url, u.photo_url) IS DISTINCT FROM u.photo_url
            OR \(phoneNumber) IS DISTINCT FROM u.phone_number)
        """

    /// What no session says.
    private static let updateProfiles = """
        UPDATE users u
        SET display_name = coalesce(i.display_name, u.display_name), photo_url = coalesce(i.photo_url, u.photo_url),
            phone_number = \(phoneNumber), updated_at = date_trunc('milliseconds', clock_timestamp())
        FROM import_users i WHERE i.verdict = 'known' AND u.id = i.existing AND \(profileDiffers)
        """

    /// In what known users differ from the file. Names and the like are written by this; what sessions say and what opens the account is
    /// changed by `Administration.bringUpToDate`.
    private func differences() throws(BulkConnection.Failure) -> [UserImport.Difference] {
        let rows = try connection.run(
            """
            SELECT * FROM (
                SELECT i.number, u.id::text, CASE WHEN i.claims <> u.claims THEN i.claims::text END AS claims,
                    CASE WHEN i.roles <> u.roles THEN i.roles END AS roles,
                    CASE WHEN u.password_hash NOT LIKE '$argon2id$%' AND i.password_hash <> u.password_hash THEN i.password_hash END AS hash,
                    i.disabled_at IS NOT NULL AND u.disabled_at IS NULL AS disables, \(Self.profileDiffers) AS profile
                FROM import_users i JOIN users u ON u.id = i.existing WHERE i.verdict = 'known'
            ) AS known
            WHERE claims IS NOT NULL OR roles IS NOT NULL OR hash IS NOT NULL OR disables OR profile
            ORDER BY number
            """)
        var found: [UserImport.Difference] = []
        do throws(PostgresError) {
            for row in rows {
                guard let id = UserID(try row.string(1)) else { throw .unexpectedColumn(1) }
                found.append(
                    UserImport.Difference(
                        number: Int(try row.int64(0)), id: id,
                        claims: try row.optionalString(2).flatMap { try? JSON.parse($0).objectValue },
                        roles: try row.optionalStrings(3), passwordHash: try row.optionalString(4), disables: try row.bool(5)))
            }
        } catch {
            throw .mismatch
        }
        return found
    }

    /// For a dry run: finds what was in the file before.
    private func remember() throws(BulkConnection.Failure) {
        try connection.runScript(
            """
            CREATE TEMPORARY TABLE import_keys ON COMMIT DROP AS
            SELECT user_id, 'a' || source || E'\\n' || id AS key FROM import_aliases
            UNION ALL SELECT user_id, 'i' || provider || E'\\n' || subject FROM import_identities
            UNION ALL SELECT user_id, 'u' || username_folded FROM import_profiles
            UNION ALL SELECT id, 'p' || phone_number FROM import_users WHERE phone_number IS NOT NULL
            UNION ALL SELECT id, 'e' || email_normalized FROM import_users WHERE email IS NOT NULL AND NOT email_claimed;

            UPDATE import_users i SET verdict = 'duplicate'
            FROM import_keys k JOIN import_seen s ON s.key = k.key WHERE k.user_id = i.id AND i.verdict IS NULL;

            INSERT INTO import_seen (key)
            SELECT k.key FROM import_keys k JOIN import_users i ON i.id = k.user_id WHERE i.verdict IS NULL
            ON CONFLICT DO NOTHING
            """)
    }

    private func verdicts() throws(BulkConnection.Failure) -> [Int: Verdict] {
        var verdicts: [Int: Verdict] = [:]
        for row in try connection.run("SELECT number, verdict FROM import_users WHERE verdict IS NOT NULL") {
            guard let number = try? row.int64(0), let text = try? row.string(1) else { throw .mismatch }
            switch text {
            case "known": verdicts[Int(number)] = .known
            case "merged": verdicts[Int(number)] = .merged
            default: verdicts[Int(number)] = .refused(TransferProblem.Reason(rawValue: text) ?? .refused)
            }
        }
        return verdicts
    }

    /// Addresses that the other system has seen proved, of users who came from there and have them still.
    /// - Returns: how many, and those who may have sessions because they were here before.
    func prove(_ addresses: [(UserAlias, EmailAddress)]) throws(BulkConnection.Failure) -> (count: Int, older: [UserID]) {
        let rows = try connection.run(
            """
            UPDATE users u SET email_verified = true
            FROM unnest($1::text[], $2::text[], $3::text[]) AS p (source, id, email)
                JOIN user_aliases a ON a.source = p.source AND a.id = p.id
            WHERE u.id = a.user_id AND u.email_normalized = p.email AND NOT u.email_verified AND NOT u.email_claimed
            RETURNING u.id::text, a.created_at < to_timestamp($4::bigint / 1000000.0)
            """,
            [
                .textArray(addresses.map(\.0.source)), .textArray(addresses.map(\.0.id)),
                .textArray(addresses.map(\.1.normalized)), .integer(startedAt),
            ])
        var older: [UserID] = []
        for row in rows {
            guard let text = try? row.string(0), let id = UserID(text), let isOlder = try? row.bool(1) else { throw .mismatch }
            if isOlder { older.append(id) }
        }
        return (rows.count, older)
    }

    /// Lets another import begin. PostgreSQL notices the end of a connection only later.
    func unlock() throws(BulkConnection.Failure) {
        guard holdsLock else { return }
        try connection.run("SELECT pg_advisory_unlock(\(Self.lockKey))")
    }

    /// Numbers that were given are not given again.
    func advanceNumbers() throws(BulkConnection.Failure) {
        try connection.run(
            """
            SELECT setval(pg_get_serial_sequence('profiles', 'number'), greatest(
                (SELECT max(number) FROM profiles), nextval(pg_get_serial_sequence('profiles', 'number'))))
            """)
    }
}
