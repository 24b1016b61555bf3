import Crypto
import Identity
import Logging
import Networking
import Postgres
import Text

/// `kidoban client`: registers, lists and removes clients, and gives them new secrets. A secret is shown once and never again.
struct ClientCommand {
    private let configuration: Configuration
    private let console: Console
    private let store: ClientStore
    private let audit: AuditLog

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: ClientAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
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
            configuration: configuration, console: console, store: ClientStore(pool: pool), audit: audit)
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
        do throws(PostgresError) {
            switch action {
            case .add(let new): return try await add(new)
            case .list: return console.print(Self.listing(try await store.all(), at: Timestamp.now()))
            case .remove(let id):
                guard try await store.delete(id) else { return unknown(id) }
                await note(.clientRemoved, id)
                return console.print("Removed \(id)\n")
            case .rotateSecret(let id, let overlap): return try await rotateSecret(of: id, overlap)
            }
        } catch {
            console.complain(Self.message(error))
            return ExitStatus.failure
        }
    }

    private func rotateSecret(of id: ClientID, _ overlap: Duration) async throws(PostgresError) -> Int32 {
        let secret = ClientSecret(random: SecureRandom.bytes(ClientSecret.randomByteCount))
        let now = Timestamp.now()
        guard try await store.replaceSecret(of: id, with: secret.digest, overlap: overlap, at: now) else { return unknown(id) }
        var detail = JSONObject()
        detail["overlap"] = .string(DurationText.render(overlap))
        await note(.clientSecretReplaced, id, detail)
        // Not at the standard output, from which scripts take the credentials.
        if overlap > .zero {
            console.complain(
                "the old secret is good until \(now.adding(overlap).iso8601); with --overlap 0 it would be refused now")
        }
        return console.print(Self.credentials(id, secret))
    }

    private func add(_ new: NewClient) async throws(PostgresError) -> Int32 {
        let secret = ClientSecret(random: SecureRandom.bytes(ClientSecret.randomByteCount))
        guard let id = new.id ?? ClientID(new.name) ?? ClientID("client-" + Hex.encode(SecureRandom.bytes(6))),
            ![SharedParts.appID, SharedParts.restAuthID].contains(id.text)
        else {
            console.complain("this id is taken by the app itself: choose another with --id")
            return ExitStatus.failure
        }
        let client = Client(
            id: id, name: new.name, authentication: .secret(secret.digest), permissions: new.permissions,
            audiences: new.audiences.isEmpty ? [configuration.audience] : new.audiences,
            accessTokenFormat: new.accessTokenFormat(signedWith: configuration.tokens.signingAlgorithm),
            accessTokenLifetime: configuration.tokens.accessTokenLifetime, sessionLifetime: configuration.sessions.lifetime,
            scopes: new.scopes ?? Client.standardScopes, rotatesRefreshTokens: new.rotatesRefreshTokens)
        do throws(PostgresError) {
            try await store.insert(client, at: Timestamp.now())
        } catch .uniqueViolation(constraint: ClientQueries.uniqueIDConstraint) {
            console.complain("there is a client \(id) already: choose another id with --id, or rotate its secret")
            return ExitStatus.failure
        }
        await note(.clientAdded, id)
        return console.print(Self.credentials(id, secret))
    }

    private func note(_ kind: AuditKind, _ id: ClientID, _ detail: JSONObject = JSONObject()) async {
        let now = Timestamp.now()
        let eventID = UUID(version7At: now, random: SecureRandom.bytes(10))
        await audit.record(
            AuditEvent(
                id: eventID, time: now, kind: kind, actor: .administrator(.command(configuration.audit.operatorName)),
                clientID: id, detail: detail))
    }

    private static func credentials(_ id: ClientID, _ secret: ClientSecret) -> String {
        "client_id=\(id)\nclient_secret=\(secret.text.revealedText)\n"
    }

    /// A line for each; one whose secret has been replaced and is good for a while yet says until when.
    static func listing(_ clients: [Client], at now: Timestamp) -> String {
        clients.map { client in
            let permissions = client.permissions.map(\.rawValue).sorted().joined(separator: ",")
            let overlap =
                client.previousSecret.map { "\told secret good until \(now.adding($0.remaining).iso8601), \(uses(of: $0))" } ?? ""
            return "\(client.id)\t\(client.name)\t\(permissions)\t\(client.audiences.joined(separator: " "))\(overlap)\n"
        }.joined()
    }

    private static func uses(of secret: PreviousSecret) -> String {
        guard let last = secret.lastUse else { return "not used since" }
        return "used \(secret.uses) times since, last at \(last.iso8601)"
    }

    private func unknown(_ id: ClientID) -> Int32 {
        console.complain("there is no client \(id)")
        return ExitStatus.failure
    }

    private static func message(_ error: PostgresError) -> String {
        switch error {
        case .unavailable, .overloaded, .deadlineExceeded: "PostgreSQL does not answer: is DATABASE_URL right, and is it up?"
        case .server(sqlState: "42P01", constraint: _): "the database has no tables yet: run `kidoban migrate` first"
        case .uniqueViolation, .server, .invalidParameter, .unexpectedColumn, .invalidConnectionString: "\(error)"
        }
    }
}
