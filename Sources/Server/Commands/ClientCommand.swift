package import Crypto
package import Identity
import Logging
import Networking
import Postgres
import Text

/// What to do with registered clients.
package enum ClientAction: Equatable, Sendable {
    case add(NewClient)
    case list
    case remove(ClientID)
    /// - Parameter overlap: how long the old secret stays good.
    case rotateSecret(ClientID, overlap: Duration)

    package static let standardOverlap = Duration.seconds(24 * 3600)
    package static let longestOverlap = Duration.seconds(90 * 24 * 3600)
}

/// A client that is to be registered.
package struct NewClient: Equatable, Sendable {
    /// What kind of access token it gets.
    package enum TokenFormat: Equatable, Sendable {
        case opaque
        /// With the configured algorithm, unless one is named.
        case jwt(SignatureAlgorithm?)
    }

    /// In Unicode scalars.
    package static let maximumNameLength = 200

    /// For people; never empty.
    package let name: String
    /// Nil for one that is made from the name or at random.
    package var id: ClientID?
    package var permissions: Set<Client.Permission> = []
    /// As they were given, without repetitions; none for those of the configuration.
    package var audiences: [String] = []
    package var tokenFormat: TokenFormat = .jwt(nil)
    /// As they were given, without repetitions; nil for the usual ones.
    package var scopes: [String]?
    /// Whether each use of a refresh token replaces it.
    package var rotatesRefreshTokens = false

    package init(name: String) {
        self.name = name
    }

    /// - Parameter algorithm: the configured one.
    package func accessTokenFormat(signedWith algorithm: SignatureAlgorithm) -> AccessTokenFormat {
        switch tokenFormat {
        case .opaque: .opaque
        case .jwt(let chosen): chosen ?? algorithm == .rs256 ? .jwtRS256 : .jwtES256
        }
    }
}

extension ClientAction {
    static func parseRotateSecret(_ rest: ArraySlice<String>) throws(ArgumentsError) -> ClientAction {
        let scanner = try ArgumentScanner(
            rest, options: [.init(name: "--overlap", takesValue: true)], topic: .clientRotateSecret)
        guard let id = ClientID(try scanner.positional("ID")[0]) else {
            throw scanner.failure(.invalid("ID", expected: NewClient.idExpectation))
        }
        let overlap = try scanner.value(
            of: "--overlap", expected: "0, or a duration such as 24h, of \(DurationText.render(longestOverlap)) at most"
        ) { text in
            text == "0" ? .zero : (try? DurationText.parse(text)).flatMap { $0 <= longestOverlap ? $0 : nil }
        }
        return .rotateSecret(id, overlap: overlap ?? standardOverlap)
    }
}

extension NewClient {
    static let idExpectation = "1 to 64 ASCII letters, digits, dots, underscores or hyphens, and not a UUID"

    private static let options: [ArgumentScanner.Option] = [
        .init(name: "--introspect", takesValue: false),
        .init(name: "--audience", takesValue: true, canRepeat: true),
        .init(name: "--id", takesValue: true),
        .init(name: "--token-format", takesValue: true),
        .init(name: "--algorithm", takesValue: true),
        .init(name: "--scope", takesValue: true, canRepeat: true),
        .init(name: "--rotate", takesValue: false),
    ]

    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: Self.options, topic: .clientAdd)
        let name = try scanner.positional("NAME")[0]
        guard (1...Self.maximumNameLength).contains(name.unicodeScalars.count), name == name.printable else {
            let expected = "1 to \(Self.maximumNameLength) characters, none of them a quote, a backslash or invisible"
            throw scanner.failure(.invalid("NAME", expected: expected))
        }
        self.init(name: name)
        id = try scanner.value(of: "--id", expected: Self.idExpectation) { ClientID($0) }
        if scanner.isGiven("--introspect") { permissions.insert(.introspect) }
        for audience in scanner.values(of: "--audience") where !audiences.contains(audience) {
            guard audience.isAudience else {
                throw scanner.failure(.invalid("--audience", expected: "1 to 255 visible ASCII characters"))
            }
            audiences.append(audience)
        }
        tokenFormat = try Self.tokenFormat(scanner)
        rotatesRefreshTokens = scanner.isGiven("--rotate")
        for scope in scanner.values(of: "--scope") where !(scopes ?? []).contains(scope) {
            guard scope.isScope else {
                throw scanner.failure(.invalid("--scope", expected: "1 to 64 visible ASCII characters, no quote or backslash"))
            }
            scopes = (scopes ?? []) + [scope]
        }
    }

    private static func tokenFormat(_ scanner: ArgumentScanner) throws(ArgumentsError) -> TokenFormat {
        let algorithm = try scanner.value(of: "--algorithm", expected: "ES256 or RS256") { text in
            [SignatureAlgorithm.es256, .rs256].first { $0.rawValue == text }
        }
        let isOpaque = try scanner.value(of: "--token-format", expected: "jwt or opaque") { text in
            ["jwt": false, "opaque": true][text]
        }
        guard isOpaque ?? false else { return .jwt(algorithm) }
        guard algorithm == nil else { throw scanner.failure(.contradiction("--algorithm", "--token-format opaque")) }
        return .opaque
    }
}

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
            pool: pool, metrics: IdentityMetrics(), capacity: 1, operatorName: configuration.audit.operatorName, logger: .disabled
        )
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
        await audit.record(AuditEvent(id: eventID, time: now, kind: kind, actor: .administrator, clientID: id, detail: detail))
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
