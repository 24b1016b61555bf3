import Endpoints
import Identity
import Networking
import Text

/// `kidoban audit`: prints audit events, the newest first, page by page; or what happens from now on.
struct AuditCommand {
    /// Events of one query.
    static let pageSize = 500
    /// How often to look for new ones.
    private static let period: Duration = .seconds(1)
    /// Copies write their events up to half a second late, and their clocks differ: what is younger is looked at again.
    private static let lateness: Duration = .seconds(10)

    private let context: OperatorContext
    private let console: Console
    private let question: AuditQuestion

    /// - Returns: one of `ExitStatus`.
    static func run(_ question: AuditQuestion, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            try await AuditCommand(context: context, console: console, question: question).carryOut()
        }
    }

    private func carryOut() async throws(Complaint) -> Int32 {
        let now = context.system.now()
        var filter = AuditFilter()
        if let user = question.user { filter.userID = try await context.id(of: user) }
        filter.kind = question.kind
        filter.referenceID = question.request
        filter.operatorName = question.operatorName
        filter.since = question.since.map { $0.instant(at: now) }
        filter.until = question.until.map { $0.instant(at: now) }
        guard !question.follows else { return try await follow(filter) }
        var rest = question.limit ?? .max
        var last: RecordedAuditEvent?
        while rest > 0 {
            let page = try await page(filter, before: last?.id, min(rest, Self.pageSize))
            guard printed(page) else { return ExitStatus.failure }
            rest -= page.count
            last = page.last
            guard page.count == Self.pageSize else { break }
        }
        if rest == 0, let last, try await !page(filter, before: last.id, 1).isEmpty { tellMore(last) }
        return ExitStatus.success
    }

    /// At the standard error: what is printed is for other programs too.
    private func tellMore(_ last: RecordedAuditEvent) {
        // The instant itself does not count, so the next page begins one later; what is seen twice is better than what is missed.
        let until = last.time.adding(.milliseconds(1)).iso8601
        console.complain(
            "there are more than these \(question.limit ?? 0): go on with --until \(until), or say --limit N, --all or --since T")
    }

    /// Prints the latest events, the oldest first, and then what comes in, until the process is ended.
    private func follow(_ filter: AuditFilter) async throws(Complaint) -> Int32 {
        var filter = filter
        var events = try await latest(filter, question.limit ?? .max)
        // What was left out at the beginning is not to come now.
        let floor = events.count == question.limit ? events.first?.id : nil
        var seen: [UUID: Timestamp] = [:]
        while true {
            guard printed(events) else { return ExitStatus.failure }
            for event in events { seen[event.id] = event.time }
            await context.pause(for: Self.period)
            let from = context.system.now().adding(.zero - Self.lateness)
            seen = seen.filter { $0.value >= from.adding(.zero - Self.lateness) }
            filter.since = max(from, filter.since ?? from)
            events = try await latest(filter, .max).filter { event in
                seen[event.id] == nil && floor.map { $0 < event.id } ?? true
            }
        }
    }

    /// The oldest first.
    private func latest(_ filter: AuditFilter, _ limit: Int) async throws(Complaint) -> [RecordedAuditEvent] {
        var events: [RecordedAuditEvent] = []
        while events.count < limit {
            let page = try await page(filter, before: events.last?.id, min(limit - events.count, Self.pageSize))
            events += page
            guard page.count == Self.pageSize else { break }
        }
        return events.reversed()
    }

    private func page(_ filter: AuditFilter, before: UUID?, _ count: Int) async throws(Complaint) -> [RecordedAuditEvent] {
        try await context.ask { worker throws(IdentityError) in
            try await AuditStore(pool: worker.postgres).page(filter, before: before, count: count)
        }
    }

    /// False when nobody takes it.
    private func printed(_ events: [RecordedAuditEvent]) -> Bool {
        let text = events.map { question.asJSON ? $0.document.line : $0.line }.joined()
        return text.isEmpty || console.print(text) == ExitStatus.success
    }
}

extension RecordedAuditEvent {
    private static let kindWidth = 28
    private static let outcomeWidth = 9

    /// For people, ending in a line feed.
    fileprivate var line: String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let named = [
            ("reason", reason), ("by", actor), ("user", userID), ("client", clientID), ("session", sessionID), ("from", address),
            ("request", referenceID),
        ]
        var words = [time.iso8601, padded(kind.printable, Self.kindWidth), padded(outcome, Self.outcomeWidth)]
        words += named.compactMap { name, value in value.map { "\(name)=\($0.printable)" } }
        if let detail = detail.objectValue, !detail.isEmpty { words.append("detail=" + detail.line) }
        let line = words.joined(separator: " ")
        return line.hasSuffix("\n") ? line : line + "\n"
    }
}
