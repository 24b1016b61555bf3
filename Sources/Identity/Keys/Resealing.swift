import Crypto
package import Postgres
import Text

/// How many values of a column a master key has sealed.
package struct SealedCount: Equatable, Sendable {
    /// For operators.
    package let column: String
    /// Nil for what is none of ours.
    package let key: MasterKey.ID?
    package let count: Int
}

/// Brings what the other master key has sealed to the one that seals. Any number of copies may do so at once: each gets rows of its own.
package struct Resealing: Sendable {
    /// What has been done in one go.
    package struct Progress: Equatable, Sendable {
        package var resealed = 0
        /// Values that do not open, and stay as they are.
        package var unopened = 0

        package var isOver: Bool { resealed == 0 }

        package static func + (one: Progress, other: Progress) -> Progress {
            Progress(resealed: one.resealed + other.resealed, unopened: one.unopened + other.unopened)
        }
    }

    package static let batchSize = 50

    private let pool: PostgresPool
    private let masterKey: MasterKey

    package init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        self.masterKey = masterKey
    }

    /// Goes on with a few values of each column.
    /// - Throws: `PostgresError`.
    package func step() async throws(PostgresError) -> Progress {
        guard let other = masterKey.other else { return Progress() }
        var progress = Progress()
        for column in SealedColumn.all {
            guard let sealer = try? Sealer(masterKey, column.purpose) else { throw .unavailable }
            let done = try await pool.transaction { transaction throws(PostgresError) in
                try await Self.step(column, sealer, from: other.id, transaction)
            }
            progress = progress + done
        }
        return progress
    }

    /// Goes on until nothing is left that opens.
    /// - Throws: `PostgresError`; what is done stays done.
    package func run() async throws(PostgresError) -> Progress {
        var progress = Progress()
        while true {
            let step = try await step()
            progress.resealed += step.resealed
            progress.unopened = step.unopened
            if step.isOver { return progress }
        }
    }

    private static func step(
        _ column: SealedColumn, _ sealer: Sealer, from other: MasterKey.ID, _ transaction: Transaction
    ) async throws(PostgresError) -> Progress {
        var progress = Progress()
        let rows = try await transaction.query(column.batch, [.bytes(Sealer.header(of: other)), .integer(batchSize)])
        for row in rows {
            guard let parts = try? JSON.parse(try row.string(1)).arrayValue?.compactMap(\.stringValue),
                let sealed = try? sealer.resealed(try row.bytes(2), boundTo: column.context(parts))
            else {
                progress.unopened += 1
                continue
            }
            _ = try await transaction.query(column.replace, [.text(try row.string(0)), .bytes(sealed)])
            progress.resealed += 1
        }
        return progress
    }

    /// What is sealed with which master key. Needs none.
    /// - Throws: `PostgresError`.
    package static func counts(_ pool: PostgresPool) async throws(PostgresError) -> [SealedCount] {
        try await pool.query(SealedColumn.counts).map { row throws(PostgresError) in
            SealedCount(
                column: try row.string(0), key: Sealer.keyID(inHeader: try row.bytes(1)), count: Int(try row.int64(2)))
        }
    }
}
