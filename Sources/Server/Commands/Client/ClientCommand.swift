import Crypto
import Identity
import Logging
import Networking
import Postgres
import Text

/// `kidoban client`: registers, changes, lists and deletes clients, and gives them new secrets. A secret is shown once and never again.
///
/// Credentials go to the standard output, from which scripts take them; what to know about them, to the standard error.
struct ClientCommand {
    let configuration: Configuration
    let console: Console
    let files: FileReader
    let store: ClientStore
    let audit: AuditLog

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: ClientAction, _ configuration: Configuration, _ files: FileReader, _ console: Console) async
        -> Int32
    {
        let loop: EventLoop
        do throws(SystemError) {
            loop = try EventLoop()
        } catch {
            console.complain("\(error)")
            return ExitStatus.failure
        }
        let connecting = BlockingPool(label: "kidoban.connect", threads: 1, queueLimit: 16)
        let pool = PostgresPool(configuration.database, loop: loop, connecting: connecting, logger: .disabled)
        let audit = AuditLog(
            pool: pool, metrics: IdentityMetrics(), capacity: 1, logger: .disabled)
        let command = ClientCommand(
            configuration: configuration, console: console, files: files, store: ClientStore(pool: pool), audit: audit)
        let status = await command.carryOut(action)
        await audit.close()
        let isOnRecord = await !audit.hasDropped
        await pool.close()
        loop.stop()
        connecting.stop()
        guard isOnRecord else {
            console.complain("it is done, but PostgreSQL did not take the audit event")
            return ExitStatus.failure
        }
        return status
    }

    private func carryOut(_ action: ClientAction) async -> Int32 {
        do throws(Complaint) {
            switch action {
            case .add(let new): return try await add(new)
            case .update(let id, let change): return try await update(id, change)
            case .show(let id, let asJSON): return try await show(id, asJSON: asJSON)
            case .list(let asJSON):
                let records = try await mapPostgresErrors { () throws(PostgresError) in try await store.records() }
                let report = ClientReport(now: Timestamp.now(), configuration: configuration)
                return console.print(asJSON ? records.map { report.document($0).line }.joined() : report.table(records))
            case .rotate(let id, .replace(let overlap)): return try await rotate(id, overlap)
            case .rotate(let id, .endPrevious): return try await endPrevious(of: id)
            case .disable(let id): return try await set(id, disabled: true)
            case .enable(let id): return try await set(id, disabled: false)
            case .tryOut(let id): return try await tryOut(id)
            case .registrationToken(let life, let uses): return try makeRegistrationToken(life: life, uses: uses)
            case .explain(let url): return try await explain(url)
            case .delete(let id):
                guard try await mapPostgresErrors({ () throws(PostgresError) in try await store.delete(id) }) else {
                    throw unknown(id)
                }
                await note(.clientRemoved, id)
                return console.print("Deleted \(id)\n")
            }
        } catch {
            console.complain(error.text)
            return error.status
        }
    }

    private func show(_ id: ClientID, asJSON: Bool) async throws(Complaint) -> Int32 {
        guard let record = try await mapPostgresErrors({ () throws(PostgresError) in try await store.record(id) }) else {
            throw unknown(id)
        }
        let report = ClientReport(now: Timestamp.now(), configuration: configuration)
        return console.print(asJSON ? report.document(record).line : report.page(record))
    }

    private func set(_ id: ClientID, disabled: Bool) async throws(Complaint) -> Int32 {
        let now = Timestamp.now()
        let outcome = try await mapPostgresErrors { () throws(PostgresError) in
            try await store.update(id, at: now) { client -> Result<Client, Never> in
                var client = client
                client.disabledAt = disabled ? client.disabledAt ?? now : nil
                return .success(client)
            }
        }
        guard case .done(let before, _) = outcome else { throw unknown(id) }
        guard before.isDisabled != disabled else {
            return console.print("\(id) was \(disabled ? "disabled" : "enabled") already\n")
        }
        await note(disabled ? .clientDisabled : .clientEnabled, id)
        return console.print(
            "\(disabled ? "Disabled" : "Enabled") \(id); every copy knows within \(DurationText.render(configuration.clients.cacheLifetime))\n"
        )
    }

    private func rotate(_ id: ClientID, _ overlap: Duration) async throws(Complaint) -> Int32 {
        let secret = ClientSecret(random: SecureRandom.bytes(ClientSecret.randomByteCount))
        let now = Timestamp.now()
        guard let before = try await mapPostgresErrors({ () throws(PostgresError) in try await store.client(id) }) else {
            throw unknown(id)
        }
        let isReplaced = try await mapPostgresErrors { () throws(PostgresError) in
            try await store.replaceSecret(of: id, with: secret.digest, overlap: overlap, at: now)
        }
        guard isReplaced else {
            throw Complaint(
                "\(id) has no secret (\(before.authenticationMethod.rawValue)): `kidoban client update \(id) --auth-method client_secret_basic` gives it one"
            )
        }
        var detail = JSONObject()
        detail["overlap"] = .string(DurationText.render(overlap))
        await note(.clientSecretReplaced, id, detail)
        let within = DurationText.render(configuration.clients.cacheLifetime)
        if overlap > .zero {
            console.complain(
                """
                the secret that \(id) had until now is good until \(now.adding(overlap).iso8601). If it has leaked, give the backend the new one \
                and then end it with `kidoban client rotate \(id) --end-previous`
                """)
        } else {
            console.complain("every secret that \(id) had until now is refused, on every copy within \(within)")
        }
        if let previous = before.previousSecret, overlap > .zero {
            console.complain(
                "the secret before that one was good until \(now.adding(previous.remaining).iso8601), and is refused from now on")
        }
        return console.print(Self.credentials(id, secret))
    }

    private func endPrevious(of id: ClientID) async throws(Complaint) -> Int32 {
        let now = Timestamp.now()
        guard let before = try await mapPostgresErrors({ () throws(PostgresError) in try await store.client(id) }) else {
            throw unknown(id)
        }
        let isEnded = try await mapPostgresErrors { () throws(PostgresError) in try await store.endPreviousSecret(of: id, at: now)
        }
        guard isEnded else {
            throw Complaint(
                "\(id) has no secret from before that is still good: `kidoban client rotate \(id) --now` ends the present one")
        }
        await note(.clientSecretEnded, id)
        let within = DurationText.render(configuration.clients.cacheLifetime)
        let use = before.previousSecret.map { "; it was \(ClientReport.uses(of: $0))" } ?? ""
        return console.print(
            "The secret that \(id) had before its last rotation is refused, on every copy within \(within)\(use)\n")
    }

    func note(_ kind: AuditKind, _ id: ClientID, _ detail: JSONObject = JSONObject()) async {
        let now = Timestamp.now()
        let eventID = UUID(version7At: now, random: SecureRandom.bytes(10))
        await audit.record(
            AuditEvent(
                id: eventID, time: now, kind: kind, actor: .administrator(.command(configuration.audit.operatorName)),
                clientID: id, detail: detail))
    }

    static func credentials(_ id: ClientID, _ secret: ClientSecret?) -> String {
        "client_id=\(id)\n" + (secret.map { "client_secret=\($0.text.revealedText)\n" } ?? "")
    }

    func unknown(_ id: ClientID) -> Complaint {
        Complaint("there is no client \(id)")
    }

    /// Asks PostgreSQL, and puts into words why it does not answer.
    func mapPostgresErrors<T>(_ body: () async throws(PostgresError) -> T) async throws(Complaint) -> T {
        do throws(PostgresError) {
            return try await body()
        } catch {
            throw Complaint(Self.message(error))
        }
    }

    private static func message(_ error: PostgresError) -> String {
        switch error {
        case .unavailable, .overloaded, .deadlineExceeded: "PostgreSQL does not answer: is DATABASE_URL right, and is it up?"
        case .server(sqlState: "42P01", constraint: _), .server(sqlState: "42703", constraint: _):
            "the database lacks tables of this version: run `kidoban migrate` first"
        case .uniqueViolation(constraint: ClientQueries.uniqueIDConstraint):
            "there is a client of this id already: choose another with --id, or change that one with `kidoban client update`"
        case .uniqueViolation, .server, .invalidParameter, .unexpectedColumn, .invalidConnectionString: "\(error)"
        }
    }
}
