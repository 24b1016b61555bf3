import Crypto
import Identity
import Text

/// `kidoban client`: registers, changes, lists and deletes clients, and gives them new secrets. A secret is shown once and never again.
///
/// Credentials go to the standard output, from which scripts take them; what to know about them, to the standard error.
struct ClientCommand {
    let configuration: Configuration
    let console: Console
    let files: FileReader
    let context: OperatorContext

    /// - Returns: one of `ExitStatus`.
    static func run(
        _ action: ClientAction, _ configuration: Configuration, _ files: FileReader, _ console: Console
    ) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            let command = ClientCommand(configuration: configuration, console: console, files: files, context: context)
            return try await command.carryOut(action)
        }
    }

    private func carryOut(_ action: ClientAction) async throws(Complaint) -> Int32 {
        switch action {
        case .add(let new): try await add(new)
        case .update(let id, let change): try await update(id, change)
        case .show(let id, let asJSON): try await show(id, asJSON: asJSON)
        case .list(let asJSON): try await list(asJSON: asJSON)
        case .rotate(let id, .replace(let overlap)): try await rotate(id, overlap)
        case .rotate(let id, .endPrevious): try await endPrevious(of: id)
        case .disable(let id): try await disable(id)
        case .enable(let id): try await enable(id)
        case .delete(let id): try await delete(id)
        case .tryOut(let id): try await tryOut(id)
        case .registrationToken(let life, let uses, let requiresPKCE):
            try await makeRegistrationToken(life: life, uses: uses, requiresPKCE: requiresPKCE)
        case .explain(let url): try await explain(url)
        }
    }

    var report: ClientReport {
        ClientReport(now: context.system.now(), configuration: configuration)
    }

    private func show(_ id: ClientID, asJSON: Bool) async throws(Complaint) -> Int32 {
        let found = try await context.administer { admin throws(AdministrationError) in try await admin.client(id) }
        guard let record = found else { throw unknown(id) }
        return console.print(asJSON ? report.document(record).line : report.page(record))
    }

    private func list(asJSON: Bool) async throws(Complaint) -> Int32 {
        let records = try await context.administer { admin throws(AdministrationError) in try await admin.clients() }
        return console.print(asJSON ? records.map { report.document($0).line }.joined() : report.table(records))
    }

    private func disable(_ id: ClientID) async throws(Complaint) -> Int32 {
        await context.meetRedis()
        let isNew = try await context.administer { admin throws(AdministrationError) in try await admin.disableClient(id) }
        guard let isNew else { throw unknown(id) }
        return console.print(isNew ? "Disabled \(id); every copy knows \(soon)\n" : "\(id) was disabled already\n")
    }

    private func enable(_ id: ClientID) async throws(Complaint) -> Int32 {
        await context.meetRedis()
        let isNew = try await context.administer { admin throws(AdministrationError) in try await admin.enableClient(id) }
        guard let isNew else { throw unknown(id) }
        return console.print(isNew ? "Enabled \(id); every copy knows \(soon)\n" : "\(id) was enabled already\n")
    }

    private func delete(_ id: ClientID) async throws(Complaint) -> Int32 {
        await context.meetRedis()
        guard try await context.administer({ admin throws(AdministrationError) in try await admin.deleteClient(id) }) else {
            throw unknown(id)
        }
        return console.print("Deleted \(id)\n")
    }

    private func rotate(_ id: ClientID, _ overlap: Duration) async throws(Complaint) -> Int32 {
        await context.meetRedis()
        let replaced = try await context.administer { admin throws(AdministrationError) in
            try await admin.replaceSecret(of: id, overlap: overlap)
        }
        guard let (before, secret) = replaced else { throw unknown(id) }
        guard let secret else {
            throw Complaint(
                "\(id) has no secret (\(before.authenticationMethod.rawValue)): `kidoban client update \(id) --auth-method client_secret_basic` gives it one"
            )
        }
        let now = context.system.now()
        if overlap > .zero {
            console.complain(
                """
                the secret that \(id) had until now is good until \(now.adding(overlap).iso8601). If it has leaked, give the backend the new one \
                and then end it with `kidoban client rotate \(id) --end-previous`
                """)
        } else {
            console.complain(
                "every secret that \(id) had until now is refused, on every copy \(soon), and the tokens that it got by itself end; those of the next "
                    + "\(DurationText.render(configuration.clients.cacheLifetime)) or so end, too")
        }
        if let previous = before.previousSecret, overlap > .zero {
            console.complain(
                "the secret before that one was good until \(now.adding(previous.remaining).iso8601), and is refused from now on")
        }
        return console.print(Self.credentials(id, secret))
    }

    private func endPrevious(of id: ClientID) async throws(Complaint) -> Int32 {
        await context.meetRedis()
        let ended = try await context.administer { admin throws(AdministrationError) in
            try await admin.endPreviousSecret(of: id)
        }
        guard let (before, isEnded) = ended else { throw unknown(id) }
        guard isEnded else {
            throw Complaint(
                "\(id) has no secret from before that is still good: `kidoban client rotate \(id) --now` ends the present one")
        }
        let use = before.previousSecret.map { "; it was \(ClientReport.uses(of: $0))" } ?? ""
        return console.print(
            "The secret that \(id) had before its last rotation is refused, on every copy \(soon), and what was got by it\(use)\n"
        )
    }

    /// By when every copy has taken notice.
    private var soon: String { "at once, or without Redis within \(DurationText.render(configuration.clients.cacheLifetime))" }

    static func credentials(_ id: ClientID, _ secret: ClientSecret?) -> String {
        "client_id=\(id)\n" + (secret.map { "client_secret=\($0.text.revealedText)\n" } ?? "")
    }

    func unknown(_ id: ClientID) -> Complaint {
        Complaint("there is no client \(id)")
    }
}
