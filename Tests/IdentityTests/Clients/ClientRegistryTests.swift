import Crypto
import Networking
import TestSupport
import Testing
import Text

@testable import Identity
@testable import Postgres

extension WithStores {
    @Suite struct ClientRegistryTests {
        private static let lock = Statement(name: "test_lock_clients", sql: "LOCK TABLE clients IN ACCESS EXCLUSIVE MODE")

        private let secret = ClientSecret(random: Array(0..<32))
        private let other = ClientSecret(random: Array(1..<33))

        private func client(_ id: String = "backend", _ authentication: Client.Authentication? = nil) -> Client {
            Client(
                id: World.clientID(id), name: "Backend", authentication: authentication ?? .secret(secret.digest),
                permissions: [.introspect], audiences: [World.audience, "https://other.example"], accessTokenFormat: .opaque,
                accessTokenLifetime: .seconds(60), sessionLifetime: SessionLifetime(idle: .seconds(120), absolute: .seconds(180)))
        }

        private func authenticate(_ id: String, _ secret: ClientSecret, on copy: Copy) async throws -> Client {
            try await copy.run { try await $0.clients.authenticate(id, secret: secret.text).client }
        }

        private func add(_ client: Client, on copy: Copy) async throws {
            try await copy.run { try await $0.clientStore.insert(client, at: Sample.now) }
        }

        @Test func `a client is read as it was written`() async throws {
            try await World.run { world in
                let clients = [client("a"), client("b", .publicClient)]
                for client in clients { try await add(client, on: world.a) }
                #expect(try await world.a.run { try await $0.clientStore.all() } == clients)
                #expect(try await world.a.run { try await $0.clientStore.client(World.clientID("b")) } == clients[1])
                #expect(try await world.a.run { try await $0.clientStore.client(World.clientID("c")) } == nil)
                await #expect(throws: PostgresError.uniqueViolation(constraint: ClientQueries.uniqueIDConstraint)) {
                    try await add(clients[0], on: world.a)
                }
            }
        }

        @Test func `the right secret proves a client, and nothing else does`() async throws {
            try await World.run { world in
                try await add(client(), on: world.a)
                try await add(client("phone", .publicClient), on: world.a)
                for _ in 1...2 {
                    #expect(try await authenticate("backend", secret, on: world.a) == client())
                    for (id, secret) in [
                        ("backend", other), ("phone", secret), ("app", secret), ("nobody", secret), ("", secret),
                        ("BACKEND", secret), ("backend ", secret), ("a\0", secret), (String(repeating: "a", count: 65), secret),
                    ] {
                        await #expect(throws: IdentityError.invalidClient) {
                            try await authenticate(id, secret, on: world.a)
                        }
                    }
                }
                let app = try await world.a.run { try await $0.clients.client("app").client }
                #expect(app == world.options.client)
            }
        }

        @Test func `a new secret and a removal are in force when the record's life is over, however long nobody asked`()
            async throws
        {
            let lifetime = Duration.milliseconds(100)
            try await World.run({ $0.clientLifetime = lifetime }) { world in
                let id = World.clientID("backend")
                try await add(client(), on: world.a)
                _ = try await authenticate("backend", secret, on: world.a)
                let (new, unknown) = (other.digest, World.clientID("nobody"))
                #expect(
                    try await world.a.run {
                        try await $0.clientStore.replaceSecret(of: id, with: new, overlap: .zero, at: Sample.now)
                    })
                #expect(
                    try await !world.a.run {
                        try await $0.clientStore.replaceSecret(of: unknown, with: new, overlap: .zero, at: Sample.now)
                    })
                try await Task.sleep(for: lifetime)
                await #expect(throws: IdentityError.invalidClient) { try await authenticate("backend", secret, on: world.a) }
                _ = try await authenticate("backend", other, on: world.a)
                #expect(try await world.a.run { try await $0.clientStore.delete(id) })
                #expect(try await !world.a.run { try await $0.clientStore.delete(id) })
                try await Task.sleep(for: lifetime)
                await #expect(throws: IdentityError.invalidClient) { try await authenticate("backend", other, on: world.a) }
                // And back again.
                try await add(client(), on: world.a)
                try await Task.sleep(for: lifetime)
                _ = try await authenticate("backend", secret, on: world.a)
            }
        }

        @Test func `while a record lives nobody asks PostgreSQL for it`() async throws {
            try await World.run({ $0.clientLifetime = .seconds(3600) }) { world in
                try await add(client(), on: world.a)
                try await world.a.run { try await $0.clients.warmUp() }
                #expect(try await world.a.run { try await $0.clientStore.delete(World.clientID("backend")) })
                _ = try await authenticate("backend", secret, on: world.a)
            }
        }

        @Test(arguments: ["backend", "nobody"])
        func `any number of questions at once about one client are one look-up`(id: String) async throws {
            try await World.run({ $0.copies = 2 }) { world in
                try await add(client(), on: world.a)
                let (copy, asked) = (world.a, Locked(0))
                let answers = try await world.b.run { parts in
                    // Whoever looks a client up now waits for this transaction to end.
                    try await parts.postgres.transaction { (transaction) throws(IdentityError) in
                        try await mapPostgresErrors { () throws(PostgresError) in _ = try await transaction.query(Self.lock) }
                        let questions = (1...100).map { _ in
                            Task {
                                try await copy.run { parts in
                                    asked.withLock { $0 += 1 }
                                    return try await parts.clients.client(id).client
                                }
                            }
                        }
                        while asked.value < 100 { try? await Task.sleep(for: .milliseconds(5)) }
                        #expect(await copy.run { await $0.postgres.pendingCount } == 1)
                        return questions
                    }
                }
                for answer in answers {
                    switch await answer.result {
                    case .success(let found): #expect(id == "backend" && found == client())
                    case .failure(let error): #expect(id == "nobody" && error as? IdentityError == .invalidClient)
                    }
                }
            }
        }

        @Test func `guessing ids fills no memory and forgets nobody`() async throws {
            try await World.run({
                $0.clientLifetime = .seconds(3600)
                $0.strangers = Budget(3000, per: .seconds(3))
            }) { world in
                try await add(client(), on: world.a)
                try await world.a.run { try await $0.clients.warmUp() }
                #expect(try await world.a.run { try await $0.clientStore.delete(World.clientID("backend")) })
                try await world.a.run { parts in
                    for number in 0..<2_500 {
                        await #expect(throws: IdentityError.invalidClient) { try await parts.clients.client("guess-\(number)") }
                    }
                    let remembered = Mirror(reflecting: parts.clients).descendant("remembered")
                    let count = Mirror(reflecting: try #require(remembered)).children.count
                    #expect((2...1_001).contains(count))
                }
                _ = try await authenticate("backend", secret, on: world.a)
            }
        }

        @Test func `ids that nobody knows are looked up so often and no more, and clients notice nothing`() async throws {
            try await World.run({
                $0.clientLifetime = .seconds(3600)
                $0.strangers = Budget(10, per: .seconds(3600))
            }) { world in
                try await add(client(), on: world.a)
                try await world.a.run { try await $0.clients.warmUp() }
                await world.a.run { parts in
                    for number in 0..<10 {
                        await #expect(throws: IdentityError.invalidClient) { try await parts.clients.client("guess-\(number)") }
                    }
                    for number in 10..<20 {
                        let error = await #expect(throws: IdentityError.self) {
                            try await parts.clients.client("guess-\(number)")
                        }
                        guard case .service(.tooManyRequests) = error else {
                            Issue.record("\(String(describing: error))")
                            continue
                        }
                    }
                    // What is remembered is told on.
                    await #expect(throws: IdentityError.invalidClient) { try await parts.clients.client("guess-0") }
                }
                _ = try await authenticate("backend", secret, on: world.a)
            }
        }

        @Test func `when all are renewed, no record is used before it has been looked up again`() async throws {
            try await World.run({ $0.clientLifetime = .seconds(3600) }) { world in
                try await add(client(), on: world.a)
                let digest = CredentialDigest(of: Array("Basic x".utf8).span)
                let secret = secret
                try await world.a.run { parts in
                    _ = try await parts.clients.authenticate("backend", secret: secret.text, as: digest)
                    await #expect(throws: IdentityError.invalidClient) { try await parts.clients.client("later") }
                }
                let new = other.digest
                let id = World.clientID("backend")
                #expect(
                    try await world.a.run {
                        try await $0.clientStore.replaceSecret(of: id, with: new, overlap: .zero, at: Sample.now)
                    })
                try await add(client("later"), on: world.a)
                await world.a.run { await $0.clients.renewAll(lifetime: .seconds(1800)) }
                #expect(await world.a.run { await $0.clients.recognise(digest) } == nil)
                _ = try await authenticate("backend", other, on: world.a)
                _ = try await authenticate("later", self.secret, on: world.a)
            }
        }

        @Test func `credentials are recognised until the client's record changes`() async throws {
            try await World.run({ $0.clientLifetime = .seconds(5) }) { world in
                try await add(client(), on: world.a)
                let digest = CredentialDigest(of: Array("Basic x".utf8).span)
                let secret = secret
                try await world.a.run { parts in
                    #expect(await parts.clients.recognise(digest) == nil)
                    let entry = try await parts.clients.authenticate("backend", secret: secret.text, as: digest)
                    #expect(await parts.clients.recognise(digest) === entry)
                    #expect(await parts.clients.recognise(CredentialDigest(of: Array("Basic y".utf8).span)) == nil)
                }
                let new = other.digest
                let id = World.clientID("backend")
                #expect(
                    try await world.a.run {
                        try await $0.clientStore.replaceSecret(of: id, with: new, overlap: .zero, at: Sample.now)
                    })
                try await eventually { await world.a.run { await $0.clients.recognise(digest) } == nil }
                _ = try await authenticate("backend", other, on: world.a)
                #expect(await world.a.run { await $0.clients.recognise(digest) } == nil)
            }
        }
    }
}

extension PostgresPool {
    /// The queries that await an answer, and those that wait for a connection.
    fileprivate var pendingCount: Int {
        state.load.reduce(0, +)
    }
}
