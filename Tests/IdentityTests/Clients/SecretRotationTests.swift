import Networking
import Postgres
import TestSupport
import Testing
import Text

@testable import Identity

extension WithStores {
    @Suite struct SecretRotationTests {
        private static let end = Statement(
            name: "test_end_overlaps", sql: "UPDATE clients SET previous_secret_ends_at = now() - interval '1 second'")

        private let id = World.clientID("backend")
        private let first = ClientSecret(random: Array(0..<32))
        private let second = ClientSecret(random: Array(1..<33))
        private let third = ClientSecret(random: Array(2..<34))

        /// Copies that remember for an hour, the client in the memory of each.
        private func withClient(copies: Int = 1, _ body: (World) async throws -> Void) async throws {
            try await World.run({
                $0.clientLifetime = .seconds(3600)
                $0.copies = copies
            }) { world in
                let client = Client(
                    id: id, name: "Backend", authentication: .secret(first.digest), permissions: [.introspect], audiences: ["*"])
                try await world.a.run { try await $0.clientStore.insert(client, at: Sample.now) }
                for copy in world.copies { try await copy.run { try await $0.clients.warmUp() } }
                try await body(world)
            }
        }

        private func rotate(to secret: ClientSecret, overlap: Duration, on copy: Copy) async throws {
            let (id, digest) = (id, secret.digest)
            #expect(
                try await copy.run {
                    try await $0.clientStore.replaceSecret(of: id, with: digest, overlap: overlap, at: Sample.now)
                })
        }

        private func accepts(_ secret: ClientSecret, _ copy: Copy) async throws -> Bool {
            do {
                let id = id.text
                _ = try await copy.run { try await $0.clients.authenticate(id, secret: secret.text) }
                return true
            } catch IdentityError.client(.invalid) {
                return false
            }
        }

        @Test func `a new secret is good at once on every copy, and the old one for the overlap`() async throws {
            try await withClient(copies: 2) { world in
                try await rotate(to: second, overlap: .seconds(3600), on: world.a)
                for copy in world.copies {
                    #expect(try await accepts(second, copy))
                    #expect(try await accepts(first, copy))
                    #expect(try await !accepts(third, copy))
                }
                _ = try await world.a.run { try await $0.postgres.query(Self.end) }
                for copy in world.copies {
                    await copy.run { await $0.clients.renewAll(lifetime: .seconds(3600)) }
                    #expect(try await !accepts(first, copy))
                    #expect(try await accepts(second, copy))
                }
            }
        }

        @Test func `without an overlap the old secret is refused as soon as a copy knows of the new one`() async throws {
            try await withClient { world in
                try await rotate(to: second, overlap: .zero, on: world.a)
                #expect(try await accepts(second, world.a))
                #expect(try await !accepts(first, world.a))
            }
        }

        @Test func `only the last secret before the present one is kept`() async throws {
            try await withClient { world in
                try await rotate(to: second, overlap: .seconds(3600), on: world.a)
                try await rotate(to: third, overlap: .seconds(3600), on: world.a)
                #expect(try await accepts(third, world.a))
                #expect(try await accepts(second, world.a))
                #expect(try await !accepts(first, world.a))
            }
        }

        @Test func `wrong secrets have a client looked up once in a second, however many come`() async throws {
            try await withClient { world in
                let began = Instant.now()
                let (id, wrong) = (id.text, third.text)
                try await world.a.run { parts in
                    for _ in 0..<20 {
                        await withTaskGroup { group in
                            for _ in 0..<20 {
                                group.addTask {
                                    await #expect(throws: IdentityError.invalidClient) {
                                        try await parts.clients.authenticate(id, secret: wrong)
                                    }
                                }
                            }
                        }
                    }
                    let count = try #require(Mirror(reflecting: parts.clients).descendant("lookUpCount") as? Int)
                    #expect((1...2 + Int(Instant.now().since(began).components.seconds)).contains(count))
                }
                #expect(try await accepts(first, world.a))
            }
        }

        @Test func `the old secret is not recognised beyond its end, however long the record is used`() async throws {
            try await withClient { world in
                try await rotate(to: second, overlap: .seconds(10), on: world.a)
                await world.a.run { await $0.clients.renewAll(lifetime: .seconds(3600)) }
                let (id, old) = (id.text, first.text)
                let digest = CredentialDigest(of: Array("Basic x".utf8).span)
                try await world.a.run { parts in
                    let entry = try await parts.clients.authenticate(id, secret: old, as: digest)
                    #expect(await parts.clients.recognise(digest) === entry)
                    try await eventually { await parts.clients.recognise(digest) == nil }
                }
                #expect(try await !accepts(first, world.a))
                #expect(try await accepts(second, world.a))
            }
        }
    }
}

@Suite struct ClientEntryTests {
    @Test func `the secret before proves a client until it ends, the present one for as long as the record lives`() {
        let (now, old, wrong) = (ClientSecret(random: Array(0..<32)), ClientSecret(random: Array(1..<33)), SecretString("kds_"))
        let read = Instant(nanoseconds: 1_000)
        let entry = ClientRegistry.Entry(
            Client(
                id: World.clientID("backend"), name: "Backend", authentication: .secret(now.digest),
                previousSecret: PreviousSecret(digest: old.digest, remaining: .nanoseconds(500)), permissions: [], audiences: []),
            readAt: read)
        let end = Instant(nanoseconds: 1_500)
        for instant in [read, Instant(nanoseconds: 1_499), end, Instant(nanoseconds: 9_000)] {
            #expect(entry.verdict(on: now.text, at: instant) == .client(until: nil))
            #expect(entry.verdict(on: old.text, at: instant) == (instant < end ? .client(until: end) : .nothing))
            #expect(entry.verdict(on: wrong, at: instant) == .nothing)
        }
    }

    @Test func `no secret proves a client that has none`() {
        let secret = ClientSecret(random: Array(0..<32))
        let entry = ClientRegistry.Entry(
            Client(
                id: World.clientID("phone"), name: "Phone", authentication: .publicClient,
                previousSecret: PreviousSecret(digest: secret.digest, remaining: .seconds(1)), permissions: [], audiences: []),
            readAt: Instant(nanoseconds: 0))
        #expect(entry.verdict(on: secret.text, at: Instant(nanoseconds: 0)) == .nothing)
    }
}
