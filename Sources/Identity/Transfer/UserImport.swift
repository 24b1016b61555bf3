package import Postgres
package import Text

/// Writes users of another system into PostgreSQL, a batch at a time. Its calls block: for a thread of a `BlockingPool`.
///
/// Who is here already, by an alias or by an id of ours, is left alone, so a second run goes on where the first has stopped. Nobody gets
/// into an account that there is: an address, an identity, a phone number, a username or an id that is somebody's refuses the user.
package final class UserImport {
    package struct Options: Sendable {
        /// Whether nothing is written.
        package var isDryRun = false
        /// Whether who is here already is brought up to date: names, photos and phone numbers at once, the rest by what `differences` says.
        package var updates = false
        /// Whether a user whose address is proved on both sides is the same, and gets the alias and the identities.
        package var merges = false

        package init() {}
    }

    package struct Tally: Equatable, Sendable {
        package var added = 0
        package var known = 0
        package var updated = 0
        package var merged = 0
        package var refused = 0
        /// Added, but without something.
        package var incomplete = 0
        /// Addresses that were proved (Django).
        package var proved = 0

        package init() {}

        package static func + (left: Tally, right: Tally) -> Tally {
            var sum = left
            sum.added += right.added
            sum.known += right.known
            sum.updated += right.updated
            sum.merged += right.merged
            sum.refused += right.refused
            sum.incomplete += right.incomplete
            sum.proved += right.proved
            return sum
        }

        /// By their names, those that are not zero.
        package var counts: [(name: String, count: Int)] {
            [
                ("added", added), ("already_here", known), ("updated", updated), ("merged", merged), ("refused", refused),
                ("incomplete", incomplete), ("addresses_proved", proved),
            ].filter { $0.1 > 0 }
        }
    }

    /// In what somebody who is here already differs from the file. `Administration.bringUpToDate` changes it.
    package struct Difference: Equatable, Sendable {
        /// Of the record.
        let number: Int
        package let id: UserID
        /// Nil for what stays.
        var claims: JSONObject?
        var roles: [String]?
        /// In the place of another that came along; never of one that was made here.
        var passwordHash: String?
        var disables = false
        /// Whether only sessions are behind.
        var isOfSessions = false

        var isEmpty: Bool { claims == nil && roles == nil && passwordHash == nil && !disables && !isOfSessions }
    }

    /// One line of the report.
    package struct Complaint: Equatable, Sendable {
        package let record: Int
        package let id: String?
        /// Whether the user is imported all the same, without what this is about.
        package let isOmission: Bool
        package let problem: TransferProblem

        package var document: JSONObject {
            var object = JSONObject()
            object["record"] = .integer(Int64(record))
            object["id"] = id.map { .string(String($0.prefix(255))) }
            object[isOmission ? "left_out" : "refused"] = .string(problem.reason.rawValue)
            if !problem.detail.isEmpty { object["detail"] = .string(problem.detail) }
            return object
        }
    }

    /// Records that are judged among themselves, which asks nobody.
    package struct Batch: Sendable {
        fileprivate var users: ImportBatch
        fileprivate var complaints: [Complaint] = []
        fileprivate var addresses: [(UserAlias, EmailAddress)] = []
        fileprivate var incomplete = 0
        /// Of the records.
        package let count: Int

        /// - Parameter records: each with its number in the file.
        package init(_ records: [(number: Int, record: TransferRecord)], at now: Timestamp) {
            users = ImportBatch(at: now)
            count = records.count
            for (number, record) in records { add(record, number: number) }
        }

        private mutating func add(_ record: TransferRecord, number: Int) {
            switch record {
            case .ignored: break
            case .refused(let id, let problem):
                complaints.append(Complaint(record: number, id: id, isOmission: false, problem: problem))
            case .provedAddress(let alias, let email): addresses.append((alias, email))
            case .user(let user, let omitted):
                if let problem = users.add(user, number: number) {
                    complaints.append(Complaint(record: number, id: user.name, isOmission: false, problem: problem))
                } else {
                    if !omitted.isEmpty { incomplete += 1 }
                    complaints += omitted.map { Complaint(record: number, id: user.name, isOmission: true, problem: $0) }
                }
            }
        }

        /// Whether it makes no difference which of both is stored first.
        package func isApart(from other: Batch) -> Bool {
            addresses.isEmpty && other.addresses.isEmpty && users.isApart(from: other.users)
        }
    }

    private let options: Options
    private let now: Timestamp
    private let tables: ImportTables
    package private(set) var tally = Tally()
    private var numbersWereGiven = false
    private var found: [Difference] = []

    /// - Parameter other: the import of which this is a part, over a connection of its own: for batches that are apart from those of the other.
    /// - Throws: the connection's failure; `locked` when another import runs.
    package init(
        _ connection: BulkConnection, _ options: Options, at now: Timestamp, beside other: UserImport? = nil
    ) throws(ImportFailure) {
        self.options = options
        self.now = now
        do throws(BulkConnection.Failure) {
            tables = try ImportTables(connection, options, startedAt: other?.tables.startedAt)
        } catch {
            throw ImportFailure(error)
        }
    }

    /// Takes a batch.
    /// - Parameter records: each with its number in the file.
    /// - Returns: what there is to complain of, in the order of the records.
    package func take(_ records: [(number: Int, record: TransferRecord)]) throws(ImportFailure) -> [Complaint] {
        try take(Batch(records, at: now))
    }

    /// - Returns: what there is to complain of, in the order of the records.
    package func take(_ batch: Batch) throws(ImportFailure) -> [Complaint] {
        let complaints = batch.complaints + (try store(batch.users))
        try prove(batch.addresses)
        tally.incomplete += batch.incomplete
        tally.refused += complaints.count { !$0.isOmission }
        return complaints.sorted { $0.record < $1.record }
    }

    /// What is to be changed by the last batch, once.
    package func takeDifferences() -> [Difference] {
        defer { found = [] }
        return found.filter { !$0.isEmpty }
    }

    /// After the last batch. Nothing else may be called then.
    package func finish() throws(ImportFailure) {
        do throws(BulkConnection.Failure) {
            if numbersWereGiven, !options.isDryRun { try tables.advanceNumbers() }
            try tables.unlock()
        } catch {
            throw ImportFailure(error)
        }
    }

    /// Stores a batch. If PostgreSQL refuses a value of it, the halves are tried, down to the one user that it is.
    private func store(_ batch: ImportBatch) throws(ImportFailure) -> [Complaint] {
        guard !batch.users.isEmpty else { return [] }
        let verdicts: [Int: ImportTables.Verdict]
        let differences: [Difference]
        do throws(BulkConnection.Failure) {
            (verdicts, differences) = try stored(batch)
        } catch .refused(let sqlState, _) where sqlState.hasPrefix("22") || sqlState.hasPrefix("23") {
            guard batch.users.count > 1 else {
                let user = batch.users[0]
                let problem = TransferProblem(.refused, "PostgreSQL refuses it (SQLSTATE \(sqlState))")
                return [Complaint(record: user.number, id: user.user.name, isOmission: false, problem: problem)]
            }
            let (first, second) = batch.halves
            return try store(first) + store(second)
        } catch {
            throw ImportFailure(error)
        }
        if batch.hasNumbers { numbersWereGiven = true }
        if !options.isDryRun { found += differences }
        return count(verdicts, Set(differences.map(\.number)), batch)
    }

    /// Those whom nothing is in the way of at once, the others by a judgement; of a dry run, all.
    private func stored(
        _ batch: ImportBatch
    ) throws(BulkConnection.Failure) -> (verdicts: [Int: ImportTables.Verdict], differences: [Difference]) {
        var others = batch
        if !options.isDryRun {
            do throws(BulkConnection.Failure) {
                others = try tables.addClear(of: batch)
            } catch .refused(let sqlState, _) where sqlState.hasPrefix("22") || sqlState.hasPrefix("23") {
                // Nobody has been added.
            }
        }
        guard !others.users.isEmpty else { return ([:], []) }
        do throws(BulkConnection.Failure) {
            return try tables.store(others, yields: false)
        } catch .refused(ImportTables.takenState, _) {
            return try tables.store(others, yields: true)
        }
    }

    private func count(_ verdicts: [Int: ImportTables.Verdict], _ updated: Set<Int>, _ batch: ImportBatch) -> [Complaint] {
        var complaints: [Complaint] = []
        for entry in batch.users {
            switch verdicts[entry.number] {
            case nil: tally.added += 1
            case .known?: if updated.contains(entry.number) { tally.updated += 1 } else { tally.known += 1 }
            case .merged?: tally.merged += 1
            case .refused(let reason)?:
                complaints.append(
                    Complaint(
                        record: entry.number, id: entry.user.name, isOmission: false,
                        problem: TransferProblem(reason, reason.words)))
            }
        }
        return complaints
    }

    private func prove(_ addresses: [(UserAlias, EmailAddress)]) throws(ImportFailure) {
        guard !addresses.isEmpty, !options.isDryRun else { return }
        do throws(BulkConnection.Failure) {
            let (count, older) = try tables.prove(addresses)
            tally.proved += count
            found += older.map { Difference(number: 0, id: $0, isOfSessions: true) }
        } catch {
            throw ImportFailure(error)
        }
    }
}

/// Why an import cannot go on. What was stored by then stays, and a second run goes on.
package enum ImportFailure: Error, Equatable, Sendable {
    case unavailable(reason: String)
    /// Another import runs.
    case locked
    case refused(sqlState: String, message: String?)

    package init(_ failure: BulkConnection.Failure) {
        switch failure {
        case .unavailable(let reason): self = .unavailable(reason: reason)
        case .refused(ImportTables.lockedState, _): self = .locked
        case .refused(let sqlState, let message): self = .refused(sqlState: sqlState, message: message)
        case .mismatch: self = .refused(sqlState: "42804", message: nil)
        }
    }
}

extension TransferUser {
    /// By what a report names the user.
    var name: String? { aliases.first?.id ?? id?.description }
}

extension TransferProblem.Reason {
    /// For the operator: what is in the user's way; empty where the record itself is refused.
    var words: String {
        switch self {
        case .duplicate: "the id, the address, an identity, the phone number or the username was in the file before"
        case .emailTaken: "the address is another user's; --merge takes both for one where it is proved on both sides"
        case .identityTaken: "an identity at a provider is another user's"
        case .idTaken: "the id is another user's"
        case .usernameTaken: "the username or the number is another user's"
        case .phoneTaken: "the phone number is another user's"
        default: ""
        }
    }
}
