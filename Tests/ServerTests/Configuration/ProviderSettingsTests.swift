import Crypto
import Identity
import Testing

@testable import Server

@Suite struct ProviderSettingsTests {
    /// What a provider cannot do without.
    static let acme = [
        "KIDOBAN_PROVIDER_ACME_ISSUERS": "https://id.acme.example",
        "KIDOBAN_PROVIDER_ACME_JWKS_URL": "https://id.acme.example/keys",
        "KIDOBAN_PROVIDER_ACME_CLIENT_IDS": "kidoban",
    ]

    private func provider(_ changes: [String: String]) throws -> IdentityProvider? {
        let named = Self.acme.merging(["KIDOBAN_PROVIDERS": "acme"]) { $1 }
        return try Sample.read(named.merging(changes) { $1 }).federation.providers.first
    }

    @Test func `Apple and Google are off, with what is known of them`() throws {
        let federation = try Sample.read([:]).federation
        #expect(federation.providers.isEmpty)
        #expect(federation.apple == .apple(clientIDs: []))
        #expect(federation.google == .google(clientIDs: []))
    }

    @Test func `a preset is on when it has client ids, and everything of it can be set`() throws {
        let federation = try Sample.read([
            "KIDOBAN_APPLE_CLIENT_IDS": "com.x.app", "KIDOBAN_APPLE_ISSUERS": "http://127.0.0.1:1/apple",
            "KIDOBAN_APPLE_JWKS_URL": "http://localhost:1/keys", "KIDOBAN_GOOGLE_NONCE": "required",
        ]).federation
        #expect(federation.providers.map(\.id) == [.apple])
        #expect(federation.apple.issuers == ["http://127.0.0.1:1/apple"])
        #expect(federation.apple.keySetURL == "http://localhost:1/keys")
        #expect(federation.apple.emailTrust == .whenVerified)
    }

    @Test func `any other provider has a name and settings of its own`() throws {
        let plain = try #require(try provider([:]))
        #expect(plain.id.text == "acme")
        #expect(plain.issuers == ["https://id.acme.example"])
        #expect(plain.keySetURL == "https://id.acme.example/keys")
        #expect(plain.clientIDs == ["kidoban"])
        #expect(plain.algorithms == [.rs256])
        #expect(plain.nonceRule == NonceRule())
        #expect(plain.emailTrust == .never)
        let full = try #require(
            try provider([
                "KIDOBAN_PROVIDER_ACME_ALGORITHMS": "ES256,PS256", "KIDOBAN_PROVIDER_ACME_NONCE": "optional-hashed",
                "KIDOBAN_PROVIDER_ACME_EMAIL_TRUST": "ACME.example,acme.test",
            ]))
        #expect(full.algorithms == [.es256, .ps256])
        #expect(full.nonceRule == NonceRule(form: .hashed))
        #expect(full.emailTrust == .domains(["acme.example", "acme.test"]))
        #expect(try provider(["KIDOBAN_PROVIDER_ACME_EMAIL_TRUST": "verified"])?.emailTrust == .whenVerified)
    }

    @Test func `a hyphen of the name is an underscore in its settings`() throws {
        let other = [
            "KIDOBAN_PROVIDERS": "acme,my-idp", "KIDOBAN_PROVIDER_MY_IDP_ISSUERS": "https://a",
            "KIDOBAN_PROVIDER_MY_IDP_JWKS_URL": "https://a/k",
            "KIDOBAN_PROVIDER_MY_IDP_CLIENT_IDS": "a,b",
        ]
        let providers = try Sample.read(Self.acme.merging(other) { $1 }).federation.providers
        #expect(providers.map(\.id.text) == ["acme", "my-idp"])
        #expect(providers.last?.clientIDs == ["a", "b"])
        #expect(
            try Sample.shown("KIDOBAN_PROVIDER_MY_IDP_ALGORITHMS", Self.acme.merging(other) { $1 })?.contains("=RS256  # default")
                == true)
    }

    @Test(arguments: ["_ISSUERS", "_JWKS_URL", "_CLIENT_IDS"])
    func `a provider does not start without what its tokens are held against`(_ name: String) {
        var environment = Self.acme.merging(["KIDOBAN_PROVIDERS": "acme"]) { $1 }
        environment["KIDOBAN_PROVIDER_ACME" + name] = nil
        let problems = Sample.problems(environment)
        #expect(problems.map(\.name) == ["KIDOBAN_PROVIDER_ACME" + name])
        #expect(problems.map(\.reason) == [.missing])
    }

    @Test func `a misspelt setting of a provider suggests the nearest`() {
        let environment = Self.acme.merging(["KIDOBAN_PROVIDERS": "acme", "KIDOBAN_PROVIDER_ACME_ISSUER": "x"]) { $1 }
        #expect(Sample.problems(environment).map(\.reason) == [.unknown(nearest: "KIDOBAN_PROVIDER_ACME_ISSUERS")])
        let preset = Sample.problems(["KIDOBAN_APPLE_CLIENT_ID": "x"])
        #expect(preset.map(\.reason) == [.unknown(nearest: "KIDOBAN_APPLE_CLIENT_IDS")])
    }

    @Test func `a setting of a provider that is not named says what is missing`() {
        #expect(Sample.problems(Self.acme).map(\.reason) == .init(repeating: .unknown(nearest: "KIDOBAN_PROVIDERS"), count: 3))
    }

    @Test(arguments: [
        "apple", "google", "acme,apple", "Acme", "a_b", "-a", "a-", "a,,b", "a,a", ",", "a b", String(repeating: "a", count: 33),
    ])
    func `a name that is none, or taken, is refused`(_ names: String) {
        #expect(Sample.problems(["KIDOBAN_PROVIDERS": names]).map(\.name) == ["KIDOBAN_PROVIDERS"])
    }

    @Test(arguments: [
        "http://appleid.apple.com/auth/keys", "http://192.0.2.1/keys", "http://127.0.0.1.example.com/keys",
        "ftp://127.0.0.1/keys",
        "file:///etc/passwd", "//127.0.0.1/keys", "https://", "https://user:password@a.example/keys", "keys",
        "http://localhost.evil/",
    ])
    func `keys come over TLS, or from this machine`(_ url: String) {
        for name in ["KIDOBAN_APPLE_JWKS_URL", "KIDOBAN_GOOGLE_JWKS_URL"] {
            #expect(Sample.problems([name: url]).map(\.name) == [name], "\(url)")
        }
    }

    @Test(arguments: ["https://a.example/keys", "http://127.0.0.1:8090/keys", "http://[::1]:1/keys", "http://localhost/keys"])
    func `a URL of a key set that may be asked is taken`(_ url: String) {
        #expect(Sample.problems(["KIDOBAN_APPLE_JWKS_URL": url]).isEmpty)
    }

    @Test(arguments: [
        ("_ALGORITHMS", "none"), ("_ALGORITHMS", "HS256"), ("_ALGORITHMS", "RS256,RS256"), ("_ALGORITHMS", "rs256"),
        ("_NONCE", "yes"),
        ("_EMAIL_TRUST", "google"), ("_EMAIL_TRUST", "always"), ("_EMAIL_TRUST", "acme.example,,x.example"),
        ("_CLIENT_IDS", "a\"b"),
        ("_CLIENT_IDS", "a,"),
    ])
    func `a value of a provider that is none is refused`(_ name: String, _ value: String) {
        let environment = Self.acme.merging(["KIDOBAN_PROVIDERS": "acme", "KIDOBAN_PROVIDER_ACME" + name: value]) { $1 }
        #expect(Sample.problems(environment).map(\.name) == ["KIDOBAN_PROVIDER_ACME" + name])
    }
}
