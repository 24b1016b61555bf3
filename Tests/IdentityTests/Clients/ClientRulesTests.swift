import Crypto
import JOSE
import Testing
import Text

@testable import Identity

@Suite struct ClientRulesTests {
    private static let secret = ClientSecret(random: Array(0..<32))

    /// What `kidoban client add` makes of a kind, with one redirect URI where it takes some.
    private static func client(_ kind: Client.Kind) -> Client {
        var client = Client(
            id: World.clientID("shop"), name: "Shop", kind: kind,
            authentication: kind.authenticationMethod.usesSecret ? .secret(secret.digest) : .publicClient,
            permissions: kind.permissions,
            audiences: ["https://api.example.com"], scopes: kind.scopes, rotatesRefreshTokens: kind.rotatesRefreshTokens)
        if client.grantTypes.contains(.authorizationCode) {
            client.redirectURIs = [RedirectURI(stored: "https://shop.example.com/callback")]
        }
        return client
    }

    private func fields(_ kind: Client.Kind, _ change: (inout Client) -> Void) -> [ClientProblem.Field] {
        var client = Self.client(kind)
        change(&client)
        return client.problems().map(\.field)
    }

    @Test(arguments: Client.Kind.allCases)
    func `what a kind starts from is right, and as safe as it can be`(_ kind: Client.Kind) {
        let client = Self.client(kind)
        #expect(client.problems() == [])
        #expect(client.requiresPKCE && !client.isFirstParty && !client.isDisabled)
        #expect(client.isPublic == [.native, .spa, .device].contains(kind))
        #expect(client.rotatesRefreshTokens == client.isPublic)
        #expect(client.mayIntrospect == (kind == .resourceServer))
        #expect(client.responseTypes == (client.grantTypes.contains(.authorizationCode) ? [.code] : []))
        #expect(client.idTokenAlgorithm == .rs256 && client.accessTokenFormat == .jwtES256)
    }

    @Test func `a public client has PKCE, refresh tokens for one use, and no token of its own`() {
        for kind in [Client.Kind.spa, .native] {
            #expect(fields(kind) { $0.requiresPKCE = false } == [.requiresPKCE])
            #expect(fields(kind) { $0.rotatesRefreshTokens = false } == [.rotatesRefreshTokens])
            #expect(
                fields(kind) {
                    $0.rotatesRefreshTokens = false
                    $0.requiresDPoP = true
                } == [])
            #expect(fields(kind) { $0.grantTypes.insert(.clientCredentials) } == [.grantTypes])
            #expect(fields(kind) { $0.permissions.insert(.introspect) } == [.authenticationMethod])
        }
        #expect(fields(.web) { $0.requiresPKCE = false } == [])
        #expect(fields(.spa) { $0.authentication = .secret(Self.secret.digest) } == [.authenticationMethod])
        #expect(fields(.native) { $0.authentication = .secret(Self.secret.digest) } == [])
    }

    @Test func `grants go together with each other and with redirect URIs`() {
        #expect(fields(.web) { $0.redirectURIs = [] } == [.redirectURIs])
        #expect(fields(.service) { $0.redirectURIs = [RedirectURI(stored: "https://a.example/")] } == [.redirectURIs])
        #expect(fields(.service) { $0.grantTypes = [.clientCredentials, .refreshToken] } == [.grantTypes])
        #expect(fields(.web) { $0.responseTypes = [] } == [.responseTypes])
        #expect(fields(.web) { $0.permissions = [] } == [.grantTypes])
        #expect(fields(.web) { $0.grantTypes.insert(.clientCredentials) } == [])
    }

    @Test func `every redirect URI is looked at, by the rule of its kind`() {
        let bad = ["https://a.example/#", "com.example.app:/cb", "http://a.example/"].map { RedirectURI(stored: $0) }
        #expect(fields(.web) { $0.redirectURIs += bad } == [.redirectURIs, .redirectURIs, .redirectURIs])
        #expect(fields(.native) { $0.postLogoutRedirectURIs = bad } == [.postLogoutRedirectURIs, .postLogoutRedirectURIs])
        #expect(fields(.web) { $0.redirectURIs += $0.redirectURIs } == [.redirectURIs])
        var client = Self.client(.web)
        client.redirectURIs = bad
        #expect(client.problems().compactMap(\.value) == bad.map(\.text))
    }

    @Test func `keys are public ones, and there for who proves himself with them`() throws {
        #expect(fields(.web) { $0.authentication = .privateKeyJWT } == [.keys])
        #expect(
            fields(.web) {
                $0.authentication = .privateKeyJWT
                $0.keys = .url("https://shop.example.com/jwks.json")
            } == [])
        #expect(fields(.web) { $0.keys = .url("http://shop.example.com/jwks.json") } == [.keysURL])
        let key = JWSSigner(key: try SigningKey.generate(.es256), type: nil).jwk
        #expect(fields(.web) { $0.keys = .set(JWKSet([key])) } == [])
        #expect(fields(.web) { $0.keys = .set(JWKSet([])) } == [.keys])
        let symmetric = try JWKSet.parse(Array(#"{"keys":[{"kty":"oct","k":"AA","kid":"a"}]}"#.utf8))
        #expect(fields(.web) { $0.keys = .set(symmetric) } == [.keys])
    }

    @Test func `texts, lists and lifetimes have their bounds`() {
        let long = String(repeating: "a", count: 256)
        #expect(fields(.web) { $0.name = "" } == [.name])
        #expect(fields(.web) { $0.name = "a\nb" } == [.name])
        #expect(fields(.web) { $0.name = String(repeating: "a", count: 201) } == [.name])
        #expect(fields(.web) { $0.scopes = ["a b"] } == [.scopes])
        #expect(fields(.web) { $0.scopes = ["a", "a"] } == [.scopes])
        #expect(fields(.web) { $0.scopes = (0...50).map { "s\($0)" } } == [.scopes])
        #expect(fields(.web) { $0.audiences = [long] } == [.audiences])
        #expect(fields(.web) { $0.audiences = ["a\"b"] } == [.audiences])
        #expect(fields(.resourceServer) { $0.audiences = [] } == [.audiences])
        #expect(fields(.web) { $0.presentation.contacts = ["a\nb"] } == [.contacts])
        #expect(fields(.web) { $0.presentation.homePage = "http://a.example/" } == [.homePage])
        #expect(fields(.web) { $0.presentation.logo = "x" } == [.logo])
        #expect(fields(.web) { $0.presentation.policy = "javascript:x" } == [.policy])
        #expect(fields(.web) { $0.presentation.terms = "" } == [.terms])
        #expect(fields(.web) { $0.frontChannelLogout = ClientLogout(uri: "http://a.example/") } == [.frontChannelLogout])
        #expect(fields(.web) { $0.backChannelLogout = ClientLogout(uri: "https://a.example/#x") } == [.backChannelLogout])
        #expect(fields(.web) { $0.accessTokenLifetime = .zero } == [.accessTokenLifetime])
        #expect(fields(.web) { $0.accessTokenLifetime = .seconds(86_401) } == [.accessTokenLifetime])
        #expect(
            fields(.web) { $0.sessionLifetime = SessionLifetime(idle: .seconds(1000), absolute: .seconds(999)) } == [
                .sessionLifetime
            ])
        #expect(
            fields(.web) { $0.sessionLifetime = SessionLifetime(idle: .seconds(899), absolute: .seconds(900)) } == [
                .accessTokenLifetime
            ])
    }
}

extension WithStores {
    @Suite struct ClientStoreTests {
        private static func whole() throws -> Client {
            var client = Client(
                id: World.clientID("shop"), name: "Shop «木»", kind: .web,
                authentication: .secret(ClientSecret(random: Array(0..<32)).digest), permissions: [.introspect, .signIn],
                grantTypes: Set(GrantType.allCases), audiences: ["https://a.example", "https://b.example"],
                accessTokenFormat: .jwtRS256,
                accessTokenLifetime: .seconds(61), sessionLifetime: SessionLifetime(idle: .seconds(120), absolute: .seconds(240)),
                scopes: ["a", "b"], rotatesRefreshTokens: true, isFirstParty: true, requiresPKCE: false)
            client.sendsSecretInForm = true
            client.registration = .dynamic(accessToken: ClientSecret(random: Array(1..<33)).digest)
            client.disabledAt = Sample.now
            client.keys = .set(JWKSet([JWSSigner(key: try SigningKey.generate(.es256), type: nil).jwk]))
            client.redirectURIs = ["https://shop.example/cb?a=b", "http://127.0.0.1/cb"].map { RedirectURI(stored: $0) }
            client.postLogoutRedirectURIs = [RedirectURI(stored: "https://shop.example/bye")]
            client.frontChannelLogout = ClientLogout(uri: "https://shop.example/front", requiresSession: true)
            client.backChannelLogout = ClientLogout(uri: "https://shop.example/back")
            client.requiresDPoP = true
            client.idTokenAlgorithm = .es256
            client.userInfoAlgorithm = .rs256
            client.presentation.homePage = "https://shop.example"
            client.presentation.logo = "https://shop.example/logo.png"
            client.presentation.policy = "https://shop.example/policy"
            client.presentation.terms = "https://shop.example/terms"
            client.presentation.contacts = ["mei@shop.example", "\"quoted\" \\ , {x}"]
            return client
        }

        @Test func `everything of a client is read as it was written, and as it was changed`() async throws {
            try await World.run { world in
                let whole = try Self.whole()
                let bare = Client(
                    id: whole.id, name: "x", kind: .device, authentication: .publicClient, permissions: [], grantTypes: [],
                    audiences: [])
                try await world.a.run { parts in
                    try await parts.clientStore.insert(whole, at: Sample.now)
                    #expect(try await parts.clientStore.client(whole.id) == whole)
                    let now = Sample.now.adding(.seconds(5))
                    let outcome = try await parts.clientStore.update(whole.id, at: now) { _ -> Result<Client, ClientProblem> in
                        .success(bare)
                    }
                    guard case .done(let before, let after) = outcome else {
                        Issue.record("not changed")
                        return
                    }
                    #expect(before == whole && after == bare)
                    let record = try #require(try await parts.clientStore.record(whole.id))
                    #expect(record.client == bare && record.createdAt == Sample.now && record.updatedAt == now)
                    _ = try await parts.clientStore.update(whole.id, at: now) { _ -> Result<Client, ClientProblem> in
                        .success(whole)
                    }
                    #expect(try await parts.clientStore.client(whole.id) == whole)
                }
            }
        }

        @Test func `a change that is refused changes nothing, and what is not there is said`() async throws {
            try await World.run { world in
                let whole = try Self.whole()
                try await world.a.run { parts in
                    try await parts.clientStore.insert(whole, at: Sample.now)
                    let problem = ClientProblem(.name, "is wrong")
                    let refused = try await parts.clientStore.update(whole.id, at: Sample.now) { _ in .failure(problem) }
                    guard case .refused(problem) = refused else {
                        Issue.record("not refused")
                        return
                    }
                    let unknown = try await parts.clientStore.update(World.clientID("nobody"), at: Sample.now) { client in
                        Result<Client, ClientProblem>.success(client)
                    }
                    guard case .unknown = unknown else {
                        Issue.record("known")
                        return
                    }
                    #expect(try await parts.clientStore.client(whole.id) == whole)
                }
            }
        }

        @Test func `changes of one client at once come one after the other`() async throws {
            try await World.run({ $0.copies = 2 }) { world in
                var client = try Self.whole()
                client.scopes = []
                let stored = client
                try await world.a.run { try await $0.clientStore.insert(stored, at: Sample.now) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 {
                        let copy = world.copies[number % 2]
                        group.addTask {
                            _ = try await copy.run { parts in
                                try await parts.clientStore.update(stored.id, at: Sample.now) {
                                    client -> Result<Client, ClientProblem> in
                                    var client = client
                                    client.scopes.append("s\(number)")
                                    return .success(client)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let found = try await world.a.run { try await $0.clientStore.client(stored.id) }
                #expect(Set(found?.scopes ?? []).count == 20)
            }
        }

        @Test func `a client that is disabled is as if there were none, until it is enabled again`() async throws {
            let lifetime = Duration.milliseconds(100)
            try await World.run({ $0.clientLifetime = lifetime }) { world in
                let secret = ClientSecret(random: Array(0..<32))
                let client = Client(
                    id: World.clientID("backend"), name: "Backend", kind: .resourceServer, authentication: .secret(secret.digest),
                    permissions: [.introspect], audiences: ["*"])
                func set(_ instant: Timestamp?) async throws {
                    try await world.a.run { parts in
                        _ = try await parts.clientStore.update(client.id, at: Sample.now) {
                            client -> Result<Client, ClientProblem> in
                            var client = client
                            client.disabledAt = instant
                            return .success(client)
                        }
                    }
                }
                func isKnown() async throws -> Bool {
                    do {
                        _ = try await world.a.run { try await $0.clients.authenticate("backend", secret: secret.text) }
                        return true
                    } catch IdentityError.client(.invalid) {
                        return false
                    }
                }
                try await world.a.run { try await $0.clientStore.insert(client, at: Sample.now) }
                #expect(try await isKnown())
                try await set(Sample.now)
                try await eventually { try await !isKnown() }
                await world.a.run { try? await $0.clients.warmUp() }
                #expect(try await !isKnown())
                try await set(nil)
                try await eventually { try await isKnown() }
            }
        }

        @Test func `the secret before the present one is ended by itself, and goes with the last secret`() async throws {
            try await World.run { world in
                let secrets = (0..<3).map { ClientSecret(random: Array(UInt8($0)..<(32 + UInt8($0)))) }
                let client = Client(
                    id: World.clientID("backend"), name: "Backend", kind: .web, authentication: .secret(secrets[0].digest),
                    permissions: [], grantTypes: [], audiences: [])
                try await world.a.run { parts in
                    let store = parts.clientStore
                    try await store.insert(client, at: Sample.now)
                    #expect(try await !store.endPreviousSecret(of: client.id, at: Sample.now))
                    _ = try await store.replaceSecret(
                        of: client.id, with: secrets[1].digest, overlap: .seconds(60), at: Sample.now)
                    #expect(try await store.client(client.id)?.previousSecret?.digest == secrets[0].digest)
                    #expect(try await store.endPreviousSecret(of: client.id, at: Sample.now))
                    #expect(try await store.client(client.id)?.previousSecret == nil)
                    #expect(try await store.client(client.id)?.authentication == .secret(secrets[1].digest))
                    _ = try await store.replaceSecret(
                        of: client.id, with: secrets[2].digest, overlap: .seconds(60), at: Sample.now)
                    _ = try await store.update(client.id, at: Sample.now) { client -> Result<Client, ClientProblem> in
                        var client = client
                        client.authentication = .publicClient
                        return .success(client)
                    }
                    #expect(try await store.client(client.id)?.previousSecret == nil)
                    #expect(
                        try await !store.replaceSecret(of: client.id, with: secrets[0].digest, overlap: .zero, at: Sample.now))
                }
            }
        }
    }
}
