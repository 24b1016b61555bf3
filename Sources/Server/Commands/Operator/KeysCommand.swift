package import Crypto
import Identity
import JOSE
import Postgres
import Text

/// What to do with signing keys.
package enum KeysAction: Equatable, Sendable {
    case list(asJSON: Bool)
    /// Nil for the configured algorithm.
    case rotate(SignatureAlgorithm?)
    case retire(kid: String)
    /// Prints the public parts.
    /// - Parameter kid: of one; nil for all.
    case show(kid: String?, asPEM: Bool)
    /// Seals everything with the present master key.
    case reseal
}

extension KeysAction {
    /// Of 256 bits in base64url.
    private static let thumbprintLength = 43

    static func parseList(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .keysList)
        _ = try scanner.positional()
        return .list(asJSON: scanner.isGiven("--json"))
    }

    static func parseRotate(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        let scanner = try ArgumentScanner(rest, options: [], topic: .keysRotate)
        guard !scanner.positional.isEmpty else { return .rotate(nil) }
        let text = try scanner.positional("ALGORITHM")[0]
        guard let algorithm = [SignatureAlgorithm.es256, .rs256].first(where: { $0.rawValue == text }) else {
            throw scanner.failure(.invalid("ALGORITHM", expected: "ES256 or RS256"))
        }
        return .rotate(algorithm)
    }

    static func parseShow(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        // A thumbprint in base64url may begin with a hyphen.
        let kid = rest.first { $0.utf8.count == thumbprintLength && !$0.hasPrefix("--") }
        let others = rest.filter { $0 != kid }
        let scanner = try ArgumentScanner(others[...], options: [.init(name: "--pem", takesValue: false)], topic: .keysShow)
        guard kid == nil, !scanner.positional.isEmpty else {
            _ = try scanner.positional()
            return .show(kid: kid, asPEM: scanner.isGiven("--pem"))
        }
        return .show(kid: try scanner.positional("KID")[0], asPEM: scanner.isGiven("--pem"))
    }

    static func parseRetire(_ rest: ArraySlice<String>) throws(ArgumentsError) -> KeysAction {
        // A thumbprint (RFC 7638) in base64url may begin with a hyphen.
        if rest.count == 1, let kid = rest.first, kid.utf8.count == thumbprintLength { return .retire(kid: kid) }
        return .retire(kid: try ArgumentScanner(rest, options: [], topic: .keysRetire).positional("KID")[0])
    }
}

/// `kidoban keys`: lists and replaces the keys that tokens are signed with, and seals anew. What is written here the copies find when they look, once
/// a minute.
struct KeysCommand {
    private let context: OperatorContext
    private let console: Console
    private let configuration: Configuration

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: KeysAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        await OperatorContext.run(configuration, console) { context throws(Complaint) in
            let command = KeysCommand(context: context, console: console, configuration: configuration)
            switch action {
            case .list(let asJSON): return try await command.list(asJSON: asJSON)
            case .rotate(let algorithm): return try await command.rotate(algorithm ?? configuration.tokens.signingAlgorithm)
            case .retire(let kid): return try await command.retire(kid)
            case .show(let kid, let asPEM): return try await command.show(kid, asPEM: asPEM)
            case .reseal: return try await command.reseal()
            }
        }
    }

    private func list(asJSON: Bool) async throws(Complaint) -> Int32 {
        let keys = try await context.administer { admin throws(AdministrationError) in try await admin.keys() }
        let rotation = KeyRotation(longestTokenLife: try await longestTokenLife())
        guard !asJSON else { return console.print(keys.map { $0.document(rotation).line }.joined()) }
        return console.print(
            TextTable.render(
                ["KID", "ALG", "STATE", "CREATED", "SIGNS FROM", "RETIRED", "REMOVED FROM"],
                keys.map { key in
                    [
                        key.kid, key.algorithm.rawValue, key.state.rawValue, key.createdAt.brief, key.signsFrom?.brief ?? "",
                        key.retiredAt?.brief ?? "", rotation.removal(of: key)?.brief ?? "",
                    ]
                }))
    }

    private func rotate(_ algorithm: SignatureAlgorithm) async throws(Complaint) -> Int32 {
        let outcome = try await context.administer { admin throws(AdministrationError) in try await admin.rotateKey(algorithm) }
        switch outcome {
        case .begun(let key):
            return console.print(
                """
                Published the \(algorithm.rawValue) key \(key.kid)
                Every copy has it within a minute. It signs from \(KeyRotation.activation(of: key).brief) on, when the servers activate it; the \
                old key stays published until its tokens have expired.

                """)
        case .underWay(let key):
            return console.print(
                "The \(algorithm.rawValue) key \(key.kid) is published, and signs from \(KeyRotation.activation(of: key).brief) on\n"
            )
        case .completed(let key):
            return console.print("The \(algorithm.rawValue) key \(key.kid) signs from now on; every copy knows within a minute\n")
        case .noActiveKey:
            throw Complaint("there is no active \(algorithm.rawValue) key to replace: `kidoban serve` makes the first one")
        }
    }

    private func retire(_ kid: String) async throws(Complaint) -> Int32 {
        let outcome = try await context.administer { admin throws(AdministrationError) in try await admin.retireKey(kid) }
        switch outcome {
        case .unknown: throw Complaint("there is no signing key \(kid.excerpt)")
        case .removed(let key, let successor):
            let signing = successor.map { "\($0) signs in its place. " } ?? ""
            return console.print(
                """
                Took the \(key.algorithm.rawValue) key \(key.kid), which was \(key.state.rawValue), out of the key set
                \(signing)Every copy knows within a minute; backends that verify by themselves, when they next fetch the key set, which they \
                may keep for five minutes. They refuse what it has signed from then on.

                """)
        }
    }

    private func show(_ kid: String?, asPEM: Bool) async throws(Complaint) -> Int32 {
        let all = try await context.administer { admin throws(AdministrationError) in try await admin.publishedKeys() }
        let keys = all.filter { kid == nil || $0.record.kid == kid }
        if let kid, keys.isEmpty { throw Complaint("there is no signing key \(kid.excerpt)") }
        guard asPEM else { return console.print(String(decoding: JWKSet(keys.map(\.key)).rendered, as: UTF8.self) + "\n") }
        // One key alone is nothing but PEM, as programs want it that read one from a file.
        return console.print(
            keys.map { record, key in
                (kid == nil ? "\(record.kid) \(record.algorithm.rawValue) \(record.state.rawValue)\n" : "") + key.key.pem
            }.joined())
    }

    private func reseal() async throws(Complaint) -> Int32 {
        guard let masterKey = configuration.secrets.acceptedMasterKeys, let other = masterKey.other else {
            throw Complaint(
                "KIDOBAN_PREVIOUS_MASTER_KEY is not set: there is nothing to seal anew", status: ExitStatus.configuration)
        }
        let time = context.system.statementTime
        let uses = try await mapPostgresErrors { worker throws(PostgresError) in
            try await MasterKeyUses(pool: worker.postgres).all(at: time)
        }
        if uses.contains(where: { $0.isCurrent && $0.seals == other.id.description }) {
            console.complain(
                "a copy still seals with the previous key (\(other.id)): replace it first, and then seal anew what it has sealed meanwhile"
            )
        }
        let progress = try await mapPostgresErrors { worker throws(PostgresError) in
            try await Resealing(pool: worker.postgres, masterKey: masterKey).run()
        }
        let event = AuditEvent(
            resealing: progress.resealed, with: masterKey, by: Administrator.command(configuration.audit.operatorName).actor,
            system: context.system)
        await context.run { await $0.audit.record(event) }
        guard progress.unopened == 0 else {
            throw Complaint(
                "sealed \(progress.resealed) values anew; at least \(progress.unopened) do not open with the previous key: they are damaged"
            )
        }
        return console.print("Sealed \(progress.resealed) values anew with the master key \(masterKey.id)\n")
    }

    private func mapPostgresErrors<T: Sendable>(_ body: @Sendable (Worker) async throws(PostgresError) -> T)
        async throws(Complaint) -> T
    {
        try await context.ask { worker throws(IdentityError) in
            do throws(PostgresError) {
                return try await body(worker)
            } catch {
                throw IdentityError(postgres: error)
            }
        }
    }

    private func longestTokenLife() async throws(Complaint) -> Duration {
        let configured = configuration.tokens.accessTokenLifetime
        return try await context.ask { worker throws(IdentityError) in
            do throws(PostgresError) {
                let clients = try await ClientStore(pool: worker.postgres).all()
                return clients.filter { $0.accessTokenFormat.algorithm != nil }.map(\.accessTokenLifetime).reduce(configured, max)
            } catch {
                throw IdentityError(postgres: error)
            }
        }
    }
}

extension SigningKeyRecord {
    /// When it began or begins to sign; nil for one that never will.
    fileprivate var signsFrom: Timestamp? {
        switch state {
        case .next: KeyRotation.activation(of: self)
        case .active, .retired: activatedAt
        }
    }

    fileprivate func document(_ rotation: KeyRotation) -> JSONObject {
        var object = JSONObject()
        object["kid"] = .string(kid)
        object["alg"] = .string(algorithm.rawValue)
        object["state"] = .string(state.rawValue)
        object["created_at"] = .string(createdAt.iso8601)
        object["signs_from"] = signsFrom.map { .string($0.iso8601) } ?? .null
        object["retired_at"] = retiredAt.map { .string($0.iso8601) } ?? .null
        object["removed_from"] = rotation.removal(of: self).map { .string($0.iso8601) } ?? .null
        return object
    }
}
