import Identity
import Text

/// What to do with the audit events of old.
package enum AuditRetention: Equatable, Sendable {
    case list(asJSON: Bool)
    /// Makes and drops partitions now.
    case apply
}

extension AuditRetention {
    static func parse(_ rest: ArraySlice<String>) throws(ArgumentsError) -> AuditRetention {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--apply", takesValue: false), .init(name: "--json", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .auditRetention)
        _ = try scanner.positional()
        guard scanner.isGiven("--apply") else { return .list(asJSON: scanner.isGiven("--json")) }
        guard !scanner.isGiven("--json") else { throw scanner.failure(.contradiction("--apply", "--json")) }
        return .apply
    }
}

/// `kidoban audit retention`: the months of the audit events.
enum AuditRetentionCommand {
    /// - Returns: one of `ExitStatus`.
    static func run(_ action: AuditRetention, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            switch action {
            case .list(let asJSON):
                let partitions = try await partitions(context)
                return console.print(asJSON ? partitions.map { document($0).line }.joined() : table(partitions, configuration))
            case .apply:
                guard let changes = await context.run({ await $0.auditUpkeep.keep() }) else {
                    throw Complaint(
                        "PostgreSQL has refused: our role needs DELETE on audit_events, and nobody may hold the table for longer. "
                            + "Nothing is lost; repeat it")
                }
                let events = Counted(changes.deleted, "event")
                let deleted = changes.deleted == 0 ? "" : ", and deleted \(events) that had no month of their own"
                return console.print("Made \(changes.made) and dropped \(changes.dropped)\(deleted)\n")
            }
        }
    }

    private static func partitions(_ context: OperatorContext) async throws(Complaint) -> [AuditPartition] {
        try await context.ask { worker throws(IdentityError) in try await AuditPartitions(pool: worker.postgres).all() }
    }

    private static func table(_ partitions: [AuditPartition], _ configuration: Configuration) -> String {
        let retention = configuration.audit.retention
        let rule = retention > .zero ? "for \(DurationText.render(retention))" : "for ever"
        let rows = partitions.map { part in
            [part.name, part.from?.brief ?? "", part.until?.brief ?? "", "\(part.events)", "\(part.bytes / 1024) KiB"]
        }
        return TextTable.render(["PART", "FROM", "UNTIL", "EVENTS, ABOUT", "SIZE"], rows)
            + "\nEvents are kept \(rule) (KIDOBAN_AUDIT_RETENTION).\n"
    }

    private static func document(_ part: AuditPartition) -> JSONObject {
        var object = JSONObject()
        object["name"] = .string(part.name)
        object["from"] = part.from.map { .string($0.iso8601) } ?? .null
        object["until"] = part.until.map { .string($0.iso8601) } ?? .null
        object["events"] = .integer(Int64(part.events))
        object["bytes"] = .integer(Int64(part.bytes))
        return object
    }
}
