import Endpoints
package import Identity

/// What to do with the sessions of all users.
package enum SessionsAction: Equatable, Sendable {
    package enum Consent: Equatable, Sendable {
        /// Nothing is ended, only counted.
        case countsOnly
        case asks
        case given
    }

    /// Ends those whose user PostgreSQL does not know or has disabled.
    case prune(Consent)
    /// Ends one, whosever it is.
    case end(SessionID)
}

extension SessionsAction {
    static func parseEnd(_ rest: ArraySlice<String>) throws(ArgumentsError) -> SessionsAction {
        let expected = "the id of a session, as kidoban user show and audit events have it"
        // Ids are base64url, and may begin with a hyphen.
        if rest.count == 1, let id = rest.first.flatMap({ SessionID($0) }) { return .end(id) }
        let scanner = try ArgumentScanner(rest, options: [], topic: .sessionsEnd)
        guard let id = SessionID(try scanner.positional("SESSION")[0]) else {
            throw scanner.failure(.invalid("SESSION", expected: expected))
        }
        return .end(id)
    }

    static func parsePrune(_ rest: ArraySlice<String>) throws(ArgumentsError) -> SessionsAction {
        let options: [ArgumentScanner.Option] = [
            .init(name: "--dry-run", takesValue: false), .init(name: "--yes", takesValue: false),
        ]
        let scanner = try ArgumentScanner(rest, options: options, topic: .sessionsPrune)
        _ = try scanner.positional()
        switch (scanner.isGiven("--dry-run"), scanner.isGiven("--yes")) {
        case (true, true): throw scanner.failure(.contradiction("--dry-run", "--yes"))
        case (true, false): return .prune(.countsOnly)
        case (false, true): return .prune(.given)
        case (false, false): return .prune(.asks)
        }
    }
}

/// `kidoban sessions prune`: ends the sessions of users whom PostgreSQL does not know or has disabled. Effects are there when the command
/// ends; one that failed may be repeated.
struct SessionsCommand {
    let context: OperatorContext
    let console: Console

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: SessionsAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            await context.meetRedis()
            switch action {
            case .end(let id):
                try await context.ask { worker throws(IdentityError) in
                    try await worker.services.sessions.end(id, caller: OperatorContext.caller)
                }
                return console.print("Ended \(id)\n")
            case .prune(let consent): return try await SessionsCommand(context: context, console: console).prune(consent)
            }
        }
    }

    private struct Tally {
        private var unknown: Set<UserID> = []
        private var disabled: Set<UserID> = []
        private(set) var sessions = 0

        var text: String {
            "\(sessions) session(s) of \(unknown.count) user(s) that there are not and of \(disabled.count) disabled user(s)"
        }

        mutating func add(_ orphans: [Accounts.Orphan]) {
            for orphan in orphans {
                // One can be in several batches.
                if orphan.reason == .userDisabled { disabled.insert(orphan.userID) } else { unknown.insert(orphan.userID) }
                sessions += orphan.sessionCount
            }
        }
    }

    private func prune(_ consent: SessionsAction.Consent) async throws(Complaint) -> Int32 {
        switch consent {
        case .given: break
        case .countsOnly: return console.print("There are \(try await tally(ending: false).text)\n")
        case .asks:
            let found = try await tally(ending: false)
            guard found.sessions > 0 else { return console.print("There are no such sessions\n") }
            guard console.input.isTerminal else {
                throw Complaint(
                    "there are \(found.text), and no terminal to ask at: say --yes to end them", status: ExitStatus.usage)
            }
            guard console.input.confirms("End \(found.text)?") else { throw Complaint("nothing was ended") }
        }
        return console.print("Ended \(try await tally(ending: true).text)\n")
    }

    /// Goes through all users with sessions, batch by batch.
    private func tally(ending: Bool) async throws(Complaint) -> Tally {
        var tally = Tally()
        var cursor: SessionScanCursor?
        repeat {
            let from = cursor
            let (orphans, next) = try await context.ask { worker throws(IdentityError) in
                let accounts = worker.services.accounts
                let (orphans, next) = try await accounts.orphans(from: from)
                guard ending else { return (orphans, next) }
                for orphan in orphans { try await accounts.endSessions(of: orphan, caller: OperatorContext.caller) }
                // The events of one batch fit into memory, those of all may not.
                await worker.audit.flush()
                return (orphans, next)
            }
            tally.add(orphans)
            cursor = next
        } while cursor != nil
        return tally
    }
}
