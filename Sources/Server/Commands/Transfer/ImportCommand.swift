import Crypto
import Endpoints
import Identity
import Networking
import Postgres
import Text

/// `kidoban import`: takes over users of another system. While two batches are written, the next two are read.
struct ImportCommand {
    private static let batchSize = 2500
    private static let batchCount = 2

    let request: ImportRequest
    let context: OperatorContext
    let console: Console

    /// - Returns: one of `ExitStatus`.
    static func run(
        _ request: ImportRequest, _ configuration: Configuration, _ files: FileReader, _ console: Console
    ) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            let command = ImportCommand(request: request, context: context, console: console)
            return try await command.carryOut(configuration, files)
        }
    }

    private func carryOut(_ configuration: Configuration, _ files: FileReader) async throws(Complaint) -> Int32 {
        try await context.administer { admin throws(AdministrationError) in try admin.permit(.changeUsers) }
        let rules = rules(configuration)
        let formats = try formats(rules, files)
        // A source that cannot be read, or a database that is away, leaves the report of an earlier run as it is.
        for format in formats { _ = try ImportSource(path: request.path, format) }
        let pool = BlockingPool(label: "kidoban.import", threads: Self.batchCount, queueLimit: 4)
        defer { pool.stop() }
        let writer = ImportWriter(configuration.database, request, context.system.now(), pool)
        try await writer.connect()
        let report = try ImportReport(path: request.reportPath ?? request.path + ".refused.jsonl")
        do throws(Complaint) {
            for format in formats { try await take(format, writer, report) }
            try await writer.finish()
        } catch {
            // What was done stays done, and is on record.
            try await note(await writer.tally)
            throw Complaint("\(error.text). What was stored by then stays: run the command again to go on")
        }
        let tally = await writer.tally
        try await note(tally)
        let name = try report.close()
        return summary(tally, name)
    }

    /// Reads and writes one pass over the file.
    private func take(_ format: UserFile.Format, _ writer: ImportWriter, _ report: ImportReport) async throws(Complaint) {
        let source = try ImportSource(path: request.path, format)
        var progress = Progress(total: source.byteCount, console: console)
        let now = context.system.now()
        var batches = try await source.next(Self.batchCount, of: Self.batchSize, at: now)
        while !batches.isEmpty {
            let current = batches
            async let taken = writer.take(current)
            let next = await Result { () async throws(Complaint) in
                try await source.next(Self.batchCount, of: Self.batchSize, at: now)
            }
            let outcome: ImportWriter.Outcome
            do {
                outcome = try await taken
            } catch let error as Complaint {
                throw error
            } catch {
                throw Complaint("\(error)")
            }
            try report.add(outcome.complaints)
            for difference in outcome.differences {
                try await context.administer { admin throws(AdministrationError) in try await admin.bringUpToDate(difference) }
            }
            progress.show(count: await writer.count, position: await source.position)
            batches = try next.get()
        }
        progress.end()
    }

    private func note(_ tally: UserImport.Tally) async throws(Complaint) {
        guard !request.isDryRun else { return }
        let source = request.source
        try await context.administer { admin throws(AdministrationError) in await admin.noteImport(from: source, tally) }
    }

    private func summary(_ tally: UserImport.Tally, _ report: String?) -> Int32 {
        let counts = tally.counts.map { "\($0.name.replacing("_", with: " "))  \($0.count)\n" }.joined()
        var text = request.isDryRun ? "Nothing was written. It would be:\n" : ""
        text += counts.isEmpty ? "There is no user in the file\n" : counts
        if let report { text += "See \(report)\n" }
        let status = console.print(text)
        return tally.refused > 0 ? ExitStatus.failure : status
    }

    private func rules(_ configuration: Configuration) -> TransferRules {
        TransferRules(
            source: request.source, now: context.system.now(), hashes: configuration.passwords.importedLimits,
            claimsLimit: configuration.accounts.claimsLimit, rolesLimit: configuration.accounts.rolesLimit,
            providers: request.providers)
    }

    /// One for each pass over the file.
    private func formats(_ rules: TransferRules, _ files: FileReader) throws(Complaint) -> [UserFile.Format] {
        let isCSV = request.isCSV ?? request.path.lowercased().hasSuffix(".csv")
        switch request.system {
        case .firebase:
            let hashing = try hashing(files, rules.hashes)
            return [.firebase(FirebaseUsers(rules, hashing: hashing, takesPasswords: request.takesPasswords), isCSV: isCSV)]
        case .supabase: return [.supabase(SupabaseUsers(rules, takesPasswords: request.takesPasswords), isCSV: isCSV)]
        case .django: return [.django(DjangoUsers(rules, .users)), .django(DjangoUsers(rules, .addresses))]
        case .jsonl: return [.lines(KidobanUsers(rules))]
        }
    }

    private func hashing(_ files: FileReader, _ limits: ForeignHash.Limits) throws(Complaint) -> FirebaseHashing? {
        guard let path = request.hashConfigPath else { return nil }
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try files.read(path).bytes
        } catch {
            throw Complaint("--hash-config \(error.reason)", status: ExitStatus.usage)
        }
        do throws(FirebaseHashing.Problem) {
            let hashing = try FirebaseHashing(String(decoding: bytes, as: UTF8.self))
            guard hashing.isWithin(limits) else {
                throw FirebaseHashing.Problem(text: "a check of its hashes would take more than is permitted")
            }
            return hashing
        } catch {
            throw Complaint("--hash-config cannot be used: \(error.text)", status: ExitStatus.usage)
        }
    }
}

/// The connections of an import, on threads where they may block.
private actor ImportWriter {
    private let configuration: PostgresConfiguration
    private let request: ImportRequest
    private let now: Timestamp
    private let pool: BlockingPool
    private var lanes: [Lane] = []
    private(set) var count = 0
    var tally: UserImport.Tally { lanes.map(\.tally).reduce(UserImport.Tally(), +) }

    // @unchecked: it goes to one thread of the pool at a time, and whoever uses it waits for that.
    private struct Held: @unchecked Sendable {
        let value: UserImport
    }

    private struct Lane {
        let users: Held
        var tally = UserImport.Tally()
    }

    init(_ configuration: PostgresConfiguration, _ request: ImportRequest, _ now: Timestamp, _ pool: BlockingPool) {
        self.configuration = configuration
        self.request = request
        self.now = now
        self.pool = pool
    }

    /// Whether batches may be written side by side: where nobody who is here is changed, and nothing is remembered but in the tables.
    private var isParallel: Bool {
        !request.isDryRun && !request.updates && !request.merges && request.system != .jsonl
    }

    func connect() async throws(Complaint) {
        var options = UserImport.Options()
        options.isDryRun = request.isDryRun
        options.updates = request.updates
        options.merges = request.merges
        let (configuration, now) = (configuration, now)
        for _ in 0..<(isParallel ? 2 : 1) {
            let first = lanes.first?.users
            let users = try await blocking { [options] () throws(ImportFailure) in
                let connection: BulkConnection
                do throws(BulkConnection.Failure) {
                    connection = try BulkConnection(configuration)
                } catch {
                    throw ImportFailure(error)
                }
                return Held(value: try UserImport(connection, options, at: now, beside: first?.value))
            }
            lanes.append(Lane(users: users))
        }
    }

    struct Outcome: Sendable {
        var complaints: [UserImport.Complaint] = []
        var differences: [UserImport.Difference] = []
    }

    /// Whatever is done side by side: the first line of the file wins.
    /// - Parameter batches: two at most.
    func take(_ batches: [UserImport.Batch]) async throws(Complaint) -> Outcome {
        var outcomes: [Outcome] = []
        if lanes.count == 2, batches.count == 2, batches[0].isApart(from: batches[1]) {
            async let first = Result { () async throws(Complaint) in try await take(batches[0], 0) }
            async let second = Result { () async throws(Complaint) in try await take(batches[1], 1) }
            outcomes = [try await first.get(), try await second.get()]
        } else {
            for batch in batches { outcomes.append(try await take(batch, 0)) }
        }
        return Outcome(complaints: outcomes.flatMap(\.complaints), differences: outcomes.flatMap(\.differences))
    }

    private func take(_ batch: UserImport.Batch, _ lane: Int) async throws(Complaint) -> Outcome {
        let users = lanes[lane].users
        let (outcome, tally) = try await blocking { () throws(ImportFailure) in
            let complaints = try users.value.take(batch)
            return (Outcome(complaints: complaints, differences: users.value.takeDifferences()), users.value.tally)
        }
        lanes[lane].tally = tally
        count += batch.count
        return outcome
    }

    func finish() async throws(Complaint) {
        // The first holds the lock.
        for lane in lanes.reversed() {
            let users = lane.users
            try await blocking { () throws(ImportFailure) in try users.value.finish() }
        }
    }

    private func blocking<T: Sendable>(_ body: @escaping @Sendable () throws(ImportFailure) -> T) async throws(Complaint) -> T {
        guard let result = try? await pool.run({ Result(catching: body) }) else { throw Complaint("the import has stopped") }
        do throws(ImportFailure) {
            return try result.get()
        } catch {
            throw Complaint(error.words)
        }
    }
}

extension ImportFailure {
    fileprivate var words: String {
        switch self {
        case .unavailable(let reason): "PostgreSQL cannot be reached: \(reason)"
        case .locked: "another import is running"
        case .refused(let sqlState, let message): "PostgreSQL refuses (SQLSTATE \(sqlState)\(message.map { ": \($0)" } ?? ""))"
        }
    }
}

extension Result where Failure == Complaint {
    fileprivate init(_ body: () async throws(Complaint) -> Success) async {
        do throws(Complaint) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
