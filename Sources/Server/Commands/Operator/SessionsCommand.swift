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
    /// Ends those that began with a provider.
    case endBegunWith(ProviderID, Consent)
}

extension SessionsAction {
    static func parseEnd(_ rest: ArraySlice<String>) throws(ArgumentsError) -> SessionsAction {
        let expected = "the id of a session, as kidoban user show and audit events have it"
        // Ids are base64url, and may begin with a hyphen.
        if rest.count == 1, let id = rest.first.flatMap({ SessionID($0) }) { return .end(id) }
        let options = [.init(name: "--provider", takesValue: true)] + consentOptions
        let scanner = try ArgumentScanner(rest, options: options, topic: .sessionsEnd)
        let provider = try scanner.value(of: "--provider", expected: "the name of a provider, such as apple") { ProviderID($0) }
        let consent = try consent(scanner)
        guard let provider else {
            guard let id = SessionID(try scanner.positional("SESSION")[0]) else {
                throw scanner.failure(.invalid("SESSION", expected: expected))
            }
            return .end(id)
        }
        _ = try scanner.positional()
        return .endBegunWith(provider, consent)
    }

    private static var consentOptions: [ArgumentScanner.Option] {
        [.init(name: "--dry-run", takesValue: false), .init(name: "--yes", takesValue: false)]
    }

    private static func consent(_ scanner: ArgumentScanner) throws(ArgumentsError) -> Consent {
        switch (scanner.isGiven("--dry-run"), scanner.isGiven("--yes")) {
        case (true, true): throw scanner.failure(.contradiction("--dry-run", "--yes"))
        case (true, false): .countsOnly
        case (false, true): .given
        case (false, false): .asks
        }
    }

    static func parsePrune(_ rest: ArraySlice<String>) throws(ArgumentsError) -> SessionsAction {
        let scanner = try ArgumentScanner(rest, options: consentOptions, topic: .sessionsPrune)
        _ = try scanner.positional()
        return .prune(try consent(scanner))
    }
}

/// `kidoban sessions`: ends sessions, of whomever they are. Effects are there when the command ends; one that failed may be repeated.
struct SessionsCommand {
    private let context: OperatorContext
    private let console: Console

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: SessionsAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            await context.meetRedis()
            let command = SessionsCommand(context: context, console: console)
            switch action {
            case .end(let id):
                try await context.administer { admin throws(AdministrationError) in try await admin.end(id) }
                return console.print("Ended \(id)\n")
            case .endBegunWith(let provider, let consent):
                return try await command.end(consent) { ending throws(Complaint) in
                    try await command.sessions(begunWith: provider, ending: ending)
                }
            case .prune(let consent):
                return try await command.end(consent) { ending throws(Complaint) in try await command.orphans(ending: ending) }
            }
        }
    }

    /// What was found, or has ended.
    private protocol Tally {
        var isEmpty: Bool { get }
        /// What there is, as the rest of a sentence.
        var text: String { get }
    }

    /// Counts, asks if need be, and ends.
    private func end(
        _ consent: SessionsAction.Consent, _ tally: (_ ending: Bool) async throws(Complaint) -> any Tally
    ) async throws(Complaint) -> Int32 {
        if consent != .given {
            let found = try await tally(false)
            guard !found.isEmpty else { return console.print("There are no such sessions\n") }
            guard consent == .asks else { return console.print("This would end \(found.text)\n") }
            guard console.input.isTerminal else {
                throw Complaint(
                    "this would end \(found.text), and there is no terminal to ask at: say --yes to end them",
                    status: ExitStatus.usage)
            }
            guard console.input.confirms("End \(found.text)?") else { throw Complaint("nothing was ended") }
        }
        let ended = try await tally(true)
        return console.print(ended.isEmpty ? "There are no such sessions\n" : "Ended \(ended.text)\n")
    }

    private struct Orphans: Tally {
        private var unknown: Set<UserID> = []
        private var disabled: Set<UserID> = []
        private var sessions = 0

        var isEmpty: Bool { sessions == 0 }

        var text: String {
            var owners: [String] = []
            if !unknown.isEmpty { owners.append("\(Counted(unknown.count, "user")) unknown to PostgreSQL") }
            if !disabled.isEmpty { owners.append(Counted(disabled.count, "disabled user").description) }
            return "\(Counted(sessions, "session")) of \(owners.joined(separator: " and "))"
        }

        mutating func add(_ orphans: [Administration.Orphan]) {
            for orphan in orphans {
                // One can be in several batches.
                if orphan.reason == .userDisabled { disabled.insert(orphan.userID) } else { unknown.insert(orphan.userID) }
                sessions += orphan.sessionCount
            }
        }
    }

    /// Goes through all users with sessions, batch by batch.
    private func orphans(ending: Bool) async throws(Complaint) -> Orphans {
        var tally = Orphans()
        var cursor: SessionScanCursor?
        repeat {
            let from = cursor
            let (orphans, next) = try await context.administer { admin throws(AdministrationError) in
                let (orphans, next) = try await admin.orphans(from: from)
                guard ending else { return (orphans, next) }
                for orphan in orphans { try await admin.endSessions(of: orphan) }
                return (orphans, next)
            }
            // The events of one batch fit into memory, those of all may not.
            if ending { await context.run { await $0.audit.flush() } }
            tally.add(orphans)
            cursor = next
        } while cursor != nil
        return tally
    }

    private struct OfProvider: Tally {
        var sessions: Set<SessionID> = []
        var users: Set<UserID> = []

        var isEmpty: Bool { sessions.isEmpty }
        var text: String { "\(Counted(sessions.count, "session")) of \(Counted(users.count, "user"))" }
    }

    /// Goes through all sessions, batch by batch.
    private func sessions(begunWith provider: ProviderID, ending: Bool) async throws(Complaint) -> OfProvider {
        var tally = OfProvider()
        var cursor: SessionScanCursor?
        repeat {
            let from = cursor
            let (found, next) = try await context.administer { admin throws(AdministrationError) in
                let (found, next) = try await admin.sessions(begunWith: provider, from: from)
                guard ending else { return (found, next) }
                for session in found {
                    // One that is over by now has ended by itself.
                    do throws(AdministrationError) { try await admin.end(session.id) } catch .refused(.sessionNotFound) {
                        continue
                    }
                }
                return (found, next)
            }
            if ending { await context.run { await $0.audit.flush() } }
            for session in found {
                tally.sessions.insert(session.id)
                tally.users.insert(session.userID)
            }
            cursor = next
        } while cursor != nil
        return tally
    }
}
