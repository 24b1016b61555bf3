import Crypto
import Postgres
import Testing
import Text

@testable import Identity

/// Imports as the command makes them, without its files.
enum Importing {
    struct Outcome {
        var tally = UserImport.Tally()
        /// Number of the record, reason.
        var refused: [String] = []
        var leftOut: [String] = []
        var differences: [UserImport.Difference] = []
    }

    static func rules(_ source: String) -> TransferRules { TransferRules(source: source, now: Sample.now) }

    static func firebase(
        _ hashing: FirebaseHashing? = nil, isCSV: Bool = false, source: String = "firebase"
    ) -> UserFile.Format {
        .firebase(FirebaseUsers(rules(source), hashing: hashing), isCSV: isCSV)
    }

    static func bring(
        _ text: String, _ formats: [UserFile.Format], to world: World, batch: Int = 2,
        _ change: (inout UserImport.Options) -> Void = { _ in }
    ) throws -> Outcome {
        try bring(Array(text.utf8), formats, to: world, batch: batch, change)
    }

    static func bring(
        _ bytes: [UInt8], _ formats: [UserFile.Format], to world: World, batch: Int = 2,
        _ change: (inout UserImport.Options) -> Void = { _ in }
    ) throws -> Outcome {
        var options = UserImport.Options()
        change(&options)
        let connection = try BulkConnection(PostgresConfiguration(connectionString: world.connectionString))
        let users = try UserImport(connection, options, at: Sample.now)
        var complaints: [UserImport.Complaint] = []
        var outcome = Outcome()
        for format in formats {
            var file = UserFile(format)
            var records: [(number: Int, record: TransferRecord)] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                records += file.take(rest.prefix(1000))
                rest = rest.dropFirst(1000)
            }
            records += file.take([])
            var left = records[...]
            while !left.isEmpty {
                complaints += try users.take(Array(left.prefix(batch)))
                outcome.differences += users.takeDifferences()
                left = left.dropFirst(batch)
            }
        }
        try users.finish()
        func lines(_ isOmission: Bool) -> [String] {
            complaints.filter { $0.isOmission == isOmission }.map { "\($0.record) \($0.problem.reason.rawValue)" }
        }
        outcome.tally = users.tally
        (outcome.refused, outcome.leftOut) = (lines(false), lines(true))
        return outcome
    }

    /// Imports with `--update`, and changes what is to be changed.
    static func update(_ text: String, _ format: UserFile.Format, in world: World) async throws -> Outcome {
        let outcome = try bring(text, [format], to: world) { $0.updates = true }
        for difference in outcome.differences {
            try await world.a.run { try await $0.administration.bringUpToDate(difference) }
        }
        return outcome
    }

    static func user(_ world: World, _ source: String, _ id: String) async throws -> User {
        let alias = try #require(UserAlias(source: source, id: id))
        return try await world.a.run { parts in
            let found = try await UserAliases(pool: parts.users.pool).user(alias)
            return try await parts.users.user(try #require(found))
        }
    }

    static func stored(_ email: String, _ world: World) async throws -> String {
        let credentials = try await world.a.run { try await $0.users.credentials(of: try EmailAddress(email)) }
        return try #require(credentials?.passwordHash)
    }
}
