import Postgres

/// What PostgreSQL's answers mean for Kidoban.
enum PostgresChecks {
    /// The oldest that Kidoban is tested with.
    static let oldestVersion = 15
    private static let names = [
        "postgres-version", "postgres-encoding", "postgres-schema", "postgres-rights", "postgres-space", "postgres-durability",
        "postgres-connections",
        "postgres-transport",
    ]

    /// - Parameter outcome: nil when it took too long.
    static func findings(of outcome: PostgresProbe.Outcome?, _ configuration: Configuration) -> [Finding] {
        let target = configuration.database.connectionString.target
        guard let outcome else { return away("\(target) does not answer in time") }
        if case .failure(.unavailable(let reason)) = outcome.pending { return away(reason) }
        guard let facts = outcome.facts else { return away("\(target) lets us in but does not answer questions") }
        return [
            Finding("postgres", .ok, "\(target) lets \(facts.role) in"), version(facts), encoding(facts),
            schema(outcome.pending, configuration), rights(facts, outcome.pending, configuration), diskSpace(facts),
            durability(facts),
            connections(facts, configuration), transport(facts),
        ]
    }

    private static func away(_ reason: String) -> [Finding] {
        let remedy =
            "see that it runs and can be reached from here, and that DATABASE_URL has the right host, role, password and database"
        return [Finding("postgres", .problem(remedy), reason)]
            + names.map { Finding($0, .skipped, "PostgreSQL cannot be asked") }
    }

    static func version(_ facts: PostgresFacts) -> Finding {
        guard facts.versionNumber < oldestVersion * 10_000 else { return Finding("postgres-version", .ok, facts.version) }
        return Finding(
            "postgres-version", .problem("move the database to PostgreSQL \(oldestVersion) or newer"),
            "\(facts.version) is older than what Kidoban is tested with")
    }

    static func encoding(_ facts: PostgresFacts) -> Finding {
        guard facts.encoding != "UTF8" else { return Finding("postgres-encoding", .ok, "UTF8") }
        return Finding(
            "postgres-encoding",
            .problem(
                "CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0, move the data there with pg_dump, and correct DATABASE_URL"
            ),
            "the database is encoded in \(facts.encoding): names and addresses that are not in it could not be stored")
    }

    static func schema(_ pending: Result<[Migration], MigrationError>, _ configuration: Configuration) -> Finding {
        let name = "postgres-schema"
        switch pending {
        case .success(let steps) where steps.isEmpty: return Finding(name, .ok, "up to date")
        case .success(let steps):
            let count = steps.count == 1 ? "1 migration is" : "\(steps.count) migrations are"
            guard configuration.lifecycle.migratesAtStart else {
                return Finding(name, .problem("run `kidoban migrate` before `kidoban serve`"), "\(count) pending")
            }
            return Finding(name, .advice("nothing, or run `kidoban migrate`: the next start applies them"), "\(count) pending")
        case .failure(.schemaNewer(let found, let known)):
            return Finding(
                name, .problem("run the version of Kidoban that migrated the database, or a newer one"),
                "the database is at step \(found), and this version knows \(known)")
        case .failure(.changed(let version)):
            return Finding(
                name, .problem("look for who changed the schema; restore the database or the program"),
                "step \(version) was applied with another text than this version has")
        case .failure(.wrongEncoding): return Finding(name, .skipped, "the encoding comes first")
        case .failure(.failed(_, sqlState: "42501", _)):
            return Finding(name, .skipped, "our role may not read schema_migrations")
        case .failure(let error): return Finding(name, .problem("see PostgreSQL's log"), "\(error)")
        }
    }

    static func rights(
        _ facts: PostgresFacts, _ pending: Result<[Migration], MigrationError>, _ configuration: Configuration
    ) -> Finding {
        let name = "postgres-rights"
        guard let schema = facts.schema else {
            return Finding(
                name, .problem("grant USAGE on a schema to it, or correct its search_path"), "\(facts.role) may use no schema")
        }
        if !facts.closedTables.isEmpty {
            return Finding(
                name, .problem("grant SELECT, INSERT, UPDATE and DELETE on all of Kidoban's tables to \(facts.role)"),
                "\(facts.role) may not read and write \(facts.closedTables.joined(separator: ", "))")
        }
        guard configuration.lifecycle.migratesAtStart, !(facts.mayCreate && facts.ownsTables) else {
            return Finding(name, .ok, "\(facts.role) may do what the server does")
        }
        let lacking = facts.mayCreate ? "does not own the tables" : "may not create tables in \(schema)"
        let remedy =
            "make \(facts.role) the owner of the schema and its tables, or let another role migrate and set KIDOBAN_MIGRATE=false"
        let isNeeded = (try? pending.get())?.isEmpty != true
        let detail = "\(facts.role) \(lacking), and KIDOBAN_MIGRATE is true"
        return Finding(name, isNeeded ? .problem(remedy) : .advice(remedy), detail)
    }

    static func diskSpace(_ facts: PostgresFacts) -> Finding {
        let name = "postgres-space"
        switch facts.hasRoom {
        case true?: return Finding(name, .ok, "there is room for more")
        case false?:
            return Finding(
                name, .problem("make room: docs/operations.md, \"A disk is full\""),
                "its disk is full: nobody can sign up or sign in, and audit events wait")
        case nil: return Finding(name, .skipped, "our role may make no temporary tables")
        }
    }

    static func durability(_ facts: PostgresFacts) -> Finding {
        let name = "postgres-durability"
        guard facts.isDurable else {
            return Finding(
                name, .problem("set both to on and restart PostgreSQL"),
                "fsync or full_page_writes is off: a crash of the machine can destroy the database")
        }
        guard facts.commit != "off" else {
            return Finding(
                name, .problem("set synchronous_commit=on for this role or database"),
                "synchronous_commit is off: what was answered can be gone after a crash")
        }
        return Finding(name, .ok, "what is answered is on disk")
    }

    /// Two copies are the least that a roll-over needs.
    static func connections(_ facts: PostgresFacts, _ configuration: Configuration) -> Finding {
        let name = "postgres-connections"
        let copy = configuration.loopCount * configuration.database.connectionsPerLoop
        let detail = "a copy opens up to \(copy) (KIDOBAN_LOOPS x KIDOBAN_DATABASE_POOL) of \(facts.connections)"
        let remedy = "raise max_connections (and the limits of role and database), or lower KIDOBAN_DATABASE_POOL"
        switch facts.connections / max(1, copy) {
        case 0: return Finding(name, .problem(remedy), detail)
        case 1: return Finding(name, .advice(remedy), "\(detail): there is no room for a second copy")
        case let copies: return Finding(name, .ok, "\(detail): room for \(copies) copies, if nobody else connects")
        }
    }

    static func transport(_ facts: PostgresFacts) -> Finding {
        let name = "postgres-transport"
        if facts.usesTLS { return Finding(name, .ok, "TLS") }
        if facts.isLocal { return Finding(name, .ok, "this machine, without TLS") }
        return Finding(
            name, .advice("add sslmode=verify-full to DATABASE_URL, unless nobody else can be on that network"),
            "another machine, without TLS")
    }
}
