import Identity
package import Text

/// Which audit events are asked for.
package struct AuditQuestion: Equatable, Sendable {
    /// A point in time, as an operator says it.
    package enum Moment: Equatable, Sendable {
        case ago(Duration)
        case at(Timestamp)

        func instant(at now: Timestamp) -> Timestamp {
            switch self {
            case .ago(let duration): now.adding(.zero - duration)
            case .at(let instant): instant
            }
        }
    }

    package static let limits = 1...1_000_000

    package var user: UserReference?
    package var kind: String?
    /// The id of a request.
    package var request: String?
    package var operatorName: String?
    package var since: Moment?
    package var until: Moment?
    /// The event behind which the page begins.
    package var before: UUID?
    /// Nil for all that there are.
    package var limit: Int? = 100
    package var asJSON = false
    /// Whether to go on with what happens from now on.
    package var follows = false

    package init() {}
}

extension AuditQuestion {
    private static let options: [ArgumentScanner.Option] = [
        .init(name: "--user", takesValue: true), .init(name: "--kind", takesValue: true),
        .init(name: "--since", takesValue: true), .init(name: "--until", takesValue: true),
        .init(name: "--before", takesValue: true),
        .init(name: "--limit", takesValue: true), .init(name: "--json", takesValue: false),
        .init(name: "--follow", takesValue: false), .init(name: "--request", takesValue: true),
        .init(name: "--operator", takesValue: true), .init(name: "--all", takesValue: false),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: Self.options, topic: .audit)
        _ = try scanner.positional()
        self.init()
        user = try scanner.value(of: "--user", expected: UserReference.expectation) { UserReference($0) }
        kind = try Self.kind(scanner)
        request = try scanner.value(of: "--request", expected: "the id of a request, as its answer and the log have it") { text in
            (1...200).contains(text.utf8.count) && text == text.printable ? text : nil
        }
        operatorName = try scanner.value(of: "--operator", expected: OperatorName.expectation, OperatorName.checked)
        since = try Self.moment("--since", scanner)
        until = try Self.moment("--until", scanner)
        before = try scanner.value(of: "--before", expected: "the id of an event") { UUID($0) }
        limit = try scanner.number("--limit", Self.limits) ?? limit
        if scanner.isGiven("--all") {
            guard scanner.values(of: "--limit").isEmpty else { throw scanner.failure(.contradiction("--all", "--limit")) }
            limit = nil
        }
        asJSON = scanner.isGiven("--json")
        follows = scanner.isGiven("--follow")
        if follows, until != nil { throw scanner.failure(.contradiction("--follow", "--until")) }
        if follows, before != nil { throw scanner.failure(.contradiction("--follow", "--before")) }
    }

    /// A kind that there is not would have no events, and look as if nothing had happened.
    private static func kind(_ scanner: ArgumentScanner) throws(ArgumentsError) -> String? {
        guard let text = scanner.values(of: "--kind").first else { return nil }
        guard AuditKind.names.contains(text) else {
            let nearest = NearestName.ofSimilar(text, among: AuditKind.names)
            throw scanner.failure(.unknownKind(text, nearest: nearest, known: AuditKind.names))
        }
        return text
    }

    private static func moment(_ option: String, _ scanner: ArgumentScanner) throws(ArgumentsError) -> Moment? {
        try scanner.value(of: option, expected: "how long ago, such as 24h, or an instant such as 2026-03-01T00:00:00Z") { text in
            if let instant = Timestamp(iso8601: text) { return .at(instant) }
            return (try? DurationText.parse(text)).map { .ago($0) }
        }
    }
}

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
        // Nothing happens in such a time, and that must not look as if nothing had happened.
        if let since = filter.since, since >= filter.until ?? now {
            throw Complaint("--since is not before \(filter.until == nil ? "now" : "--until")", status: ExitStatus.usage)
        }
        guard !question.follows else { return try await follow(filter) }
        var rest = question.limit ?? .max
        var last = question.before
        while rest > 0 {
            let page = try await page(filter, before: last, min(rest, Self.pageSize))
            guard printed(page) else { return ExitStatus.failure }
            rest -= page.count
            last = page.last?.id ?? last
            guard page.count == Self.pageSize else { break }
        }
        if rest == 0, let last, try await !page(filter, before: last, 1).isEmpty { tellMore(last) }
        return ExitStatus.success
    }

    /// At the standard error: what is printed is for other programs too.
    private func tellMore(_ last: UUID) {
        console.complain(
            "there are more than these \(question.limit ?? 0): go on with --before \(last), or say --limit N, --all or --since T")
    }

    /// Prints the latest events, the oldest first, and then what comes in, until the process is ended.
    private func follow(_ filter: AuditFilter) async throws(Complaint) -> Int32 {
        var filter = filter
        var events = try await latest(filter, question.limit ?? .max)
        // What was left out at the beginning is not to come now.
        let oldest = events.count == question.limit ? events.first?.id : nil
        var seen: [UUID: Timestamp] = [:]
        while true {
            guard printed(events) else { return ExitStatus.failure }
            for event in events { seen[event.id] = event.time }
            await context.pause(for: Self.period)
            let from = context.system.now().adding(.zero - Self.lateness)
            seen = seen.filter { $0.value >= from.adding(.zero - Self.lateness) }
            filter.since = max(from, filter.since ?? from)
            events = try await latest(filter, .max).filter { event in
                seen[event.id] == nil && oldest.map { $0 < event.id } ?? true
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
            try await mapServiceFailures { () throws(ServiceFailure) in
                try await AuditStore(pool: worker.postgres).page(filter, before: before, count: count)
            }
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
