import CPostgres
import Glibc

/// An empty database of a test's own, on the server that `KIDOBAN_TEST_DATABASE_URL` names. It is dropped when the test lets
/// go of it.
package final class TestDatabase: Sendable {
    package struct Failure: Error {
        package let reason: String
    }

    /// A connection string of a role that may create databases; nil when no server is given.
    package static let server: String? = getenv("KIDOBAN_TEST_DATABASE_URL").map { String(cString: $0) }

    /// Why the suites that need PostgreSQL are skipped without one.
    package static let reason = "KIDOBAN_TEST_DATABASE_URL names no PostgreSQL server"

    /// For libpq: the new database, as the same role.
    package let connectionString: String
    private let name: String

    package convenience init(encoding: String = "UTF8") throws {
        try self.init("TEMPLATE template0 ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C'")
    }

    /// With what is in another, to which nobody is connected.
    fileprivate convenience init(copying other: TestDatabase) throws {
        try self.init("TEMPLATE \(other.name)")
    }

    private init(_ options: String) throws {
        guard let server = Self.server else { throw Failure(reason: Self.reason) }
        name = "kidoban_test_\(String(UInt64.random(in: .min ... .max), radix: 36))"
        connectionString = try Self.string(server, database: name)
        try Self.run("CREATE DATABASE \(name) \(options)")
    }

    deinit {
        drop()
    }

    fileprivate func drop() {
        try? Self.run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// Runs SQL, on the server's own database unless another is named.
    package static func run(_ sql: String, on connectionString: String? = nil) throws {
        try execute(sql, on: connectionString ?? server ?? "") { _ in }
    }

    /// The rows of a query, each as the text of its columns.
    package static func rows(_ sql: String, on connectionString: String) throws -> [[String]] {
        var rows: [[String]] = []
        try execute(sql, on: connectionString) { result in
            for row in 0..<PQntuples(result) {
                rows.append((0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) })
            }
        }
        return rows
    }

    /// Every row of every table, as text.
    package static func contents(of connectionString: String) throws -> String {
        let tables = try rows("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'", on: connectionString)
        let texts = try tables.flatMap(\.self).flatMap { table in
            try rows("SELECT '\(table) ' || t::text FROM \(table) t", on: connectionString).flatMap(\.self)
        }
        return texts.joined(separator: "\n")
    }

    private static func execute(_ sql: String, on connectionString: String, _ body: (OpaquePointer?) -> Void) throws {
        let connection = PQconnectdb(connectionString)
        defer { PQfinish(connection) }
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw Failure(reason: String(cString: PQerrorMessage(connection)))
        }
        body(result)
    }

    /// The same connection string with another database.
    private static func string(_ original: String, database: String) throws -> String {
        guard let options = PQconninfoParse(original, nil) else { throw Failure(reason: "the connection string is not valid") }
        defer { PQconninfoFree(options) }
        var pairs = ["dbname=\(database)"]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, strcmp(keyword, "dbname") != 0 {
                let escaped = String(cString: value).flatMap { "'\\".contains($0) ? "\\\($0)" : "\($0)" }
                pairs.append("\(String(cString: keyword))='\(String(escaped))'")
            }
            option += 1
        }
        return pairs.joined(separator: " ")
    }
}

/// A database that is prepared once in a process, for tests to begin with a copy of it: that takes half as long as to prepare each.
package final class TestDatabaseTemplate: Sendable {
    private static let all = Locked<[TestDatabase]>([])

    private let prepare: @Sendable (_ connectionString: String) throws -> Void
    private let prepared = Locked<Result<TestDatabase, any Error>?>(nil)

    package init(_ prepare: @escaping @Sendable (_ connectionString: String) throws -> Void) {
        self.prepare = prepare
    }

    package func copy() throws -> TestDatabase {
        let original = prepared.withLock { prepared in
            if let prepared { return prepared }
            let result = Result { try make() }
            prepared = result
            return result
        }
        return try TestDatabase(copying: original.get())
    }

    private func make() throws -> TestDatabase {
        let database = try TestDatabase()
        try prepare(database.connectionString)
        let isFirst = Self.all.withLock { all in
            all.append(database)
            return all.count == 1
        }
        // Nobody else lets go of it.
        if isFirst { atexit { TestDatabaseTemplate.all.value.forEach { $0.drop() } } }
        return database
    }
}
