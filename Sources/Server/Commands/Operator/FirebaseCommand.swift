import Crypto
import Endpoints
import Glibc
package import Identity
import JOSE
import Text

/// What to do with the service accounts of the Firebase project.
package enum FirebaseAction: Equatable, Sendable {
    /// - Parameter path: of the file with the credentials; nil for one of its name.
    case addAccount(ClientID, path: String?)
    case listAccounts(asJSON: Bool)
    case removeAccount(ClientID)
}

extension FirebaseAction {
    static func parseAdd(_ rest: ArraySlice<String>) throws(ArgumentsError) -> FirebaseAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--file", takesValue: true)], topic: .firebaseAccountAdd)
        return .addAccount(try name(scanner), path: scanner.values(of: "--file").first)
    }

    static func parseList(_ rest: ArraySlice<String>) throws(ArgumentsError) -> FirebaseAction {
        let scanner = try ArgumentScanner(rest, options: [.init(name: "--json", takesValue: false)], topic: .firebaseAccountList)
        _ = try scanner.positional()
        return .listAccounts(asJSON: scanner.isGiven("--json"))
    }

    static func parseRemove(_ rest: ArraySlice<String>) throws(ArgumentsError) -> FirebaseAction {
        .removeAccount(try name(try ArgumentScanner(rest, options: [], topic: .firebaseAccountRemove)))
    }

    private static func name(_ scanner: ArgumentScanner) throws(ArgumentsError) -> ClientID {
        guard let id = ClientID(try scanner.positional("NAME")[0]) else {
            throw scanner.failure(.invalid("NAME", expected: ClientAction.idExpectation))
        }
        return id
    }
}

/// `kidoban firebase service-account`: gives servers of the project credentials, as Google's are, and takes them away. An account is a client with a key.
struct FirebaseCommand {
    private let context: OperatorContext
    private let console: Console
    private let configuration: Configuration
    private let project: String

    /// - Returns: one of `ExitStatus`.
    static func run(_ action: FirebaseAction, _ configuration: Configuration, _ console: Console) async -> Int32 {
        guard let project = configuration.firebase.project else {
            console.complain("KIDOBAN_FIREBASE_PROJECT is not set: there is no project to have service accounts")
            return ExitStatus.configuration
        }
        return await OperatorContext.run(configuration, console) { context throws(Complaint) in
            let command = FirebaseCommand(context: context, console: console, configuration: configuration, project: project)
            switch action {
            case .addAccount(let id, let path): return try await command.add(id, path ?? "\(id).json")
            case .listAccounts(let asJSON): return try await command.list(asJSON: asJSON)
            case .removeAccount(let id): return try await command.remove(id)
            }
        }
    }

    private func add(_ id: ClientID, _ path: String) async throws(Complaint) -> Int32 {
        guard !ClientCommand.builtInIDs.contains(id.text) else { throw Complaint("this name is taken: choose another") }
        try await context.administer { admin throws(AdministrationError) in try admin.permit(.manageClients) }
        let key: SigningKey
        let credentials: String
        do throws(CryptoError) {
            key = try SigningKey.generate(.rs256())
            credentials = try document(id, key)
        } catch {
            throw Complaint("no key could be made")
        }
        // First: without a file the key would be nobody's.
        try write(credentials, to: path)
        do throws(Complaint) {
            await context.meetRedis()
            let account = account(id, key)
            try await context.administer { admin throws(AdministrationError) in try await admin.addClient(account) }
        } catch {
            unlink(path)
            throw error
        }
        return console.print(
            """
            Added \(IdentityToolkit.ServiceAccounts.email(of: id, project: project))
            \(path) has its private key, which is stored nowhere else.

            """)
    }

    private func account(_ id: ClientID, _ key: SigningKey) -> Client {
        var client = Client(
            id: id, name: id.text, kind: .service, authentication: .privateKeyJWT, permissions: [], audiences: [project],
            accessTokenFormat: .opaque, accessTokenLifetime: .seconds(3600), sessionLifetime: configuration.sessions.lifetime,
            scopes: IdentityToolkit.ServiceAccounts.scopes)
        client.keys = .set(JWKSet([JWK(key: key.publicKey, algorithm: .rs256)]))
        return client
    }

    /// As Google's console gives one.
    private func document(_ id: ClientID, _ key: SigningKey) throws(CryptoError) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "service_account")
        writer.member("project_id", project)
        writer.member("private_key_id", JWK(key: key.publicKey, algorithm: .rs256).keyID ?? "")
        writer.member("private_key", Self.pem(try key.exportPKCS8()))
        writer.member("client_email", IdentityToolkit.ServiceAccounts.email(of: id, project: project))
        writer.member("client_id", id.text)
        writer.member("auth_uri", configuration.issuer)
        writer.member("token_uri", configuration.issuer + IdentityToolkit.ServiceAccounts.tokenPath)
        writer.member("universe_domain", "googleapis.com")
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    /// RFC 7468 §10.
    private static func pem(_ der: ProtectedBytes) -> String {
        let text = Array(Base64.encode(der.revealedBytes).utf8)
        var lines = ["-----BEGIN PRIVATE KEY-----"]
        for start in stride(from: 0, to: text.count, by: 64) {
            lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
        }
        return (lines + ["-----END PRIVATE KEY-----", ""]).joined(separator: "\n")
    }

    private func write(_ text: String, to path: String) throws(Complaint) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Complaint("\(path.excerpt) cannot be made: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard Console.write(text, to: descriptor) else {
            let reason = String(cString: strerror(errno))
            unlink(path)
            throw Complaint("\(path.excerpt) cannot be written: \(reason)")
        }
    }

    private func accounts() async throws(Complaint) -> [ClientRecord] {
        try await context.administer { admin throws(AdministrationError) in try await admin.clients() }
            .filter { isAccount($0.client) }
    }

    private func isAccount(_ client: Client) -> Bool {
        client.authentication == .privateKeyJWT && client.audiences.contains(project)
            && !Set(client.scopes).isDisjoint(with: IdentityToolkit.ServiceAccounts.scopes)
    }

    private func list(asJSON: Bool) async throws(Complaint) -> Int32 {
        let found = try await accounts()
        guard !asJSON else {
            return console.print(
                found.map { record in
                    var object = JSONObject()
                    object["name"] = .string(record.client.id.text)
                    object["email"] = .string(IdentityToolkit.ServiceAccounts.email(of: record.client.id, project: project))
                    object["created_at"] = .string(record.createdAt.iso8601)
                    object["disabled"] = .bool(record.client.isDisabled)
                    return object.line
                }.joined())
        }
        return console.print(
            TextTable.render(
                ["NAME", "ADDRESS", "CREATED"],
                found.map { record in
                    [
                        record.client.id.text, IdentityToolkit.ServiceAccounts.email(of: record.client.id, project: project),
                        record.createdAt.brief,
                    ]
                }))
    }

    private func remove(_ id: ClientID) async throws(Complaint) -> Int32 {
        guard try await accounts().contains(where: { $0.client.id == id }) else {
            throw Complaint("there is no service account \(id)")
        }
        await context.meetRedis()
        _ = try await context.administer { admin throws(AdministrationError) in try await admin.deleteClient(id) }
        return console.print("Removed \(id): its access tokens are void, and it signs nobody in. Sessions of users go on\n")
    }
}
