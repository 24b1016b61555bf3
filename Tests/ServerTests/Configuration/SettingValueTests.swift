import Crypto
import Endpoints
import HTTP
import Identity
import Logging
import Networking
import Outbound
import Postgres
import Redis
import Routing
import Testing
import Text

@testable import Server

/// A text that a setting accepts, and how to see that it arrived.
struct AcceptedValue: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    /// As `kidoban config` shows it.
    let shown: String
    /// What else has to be set, so that nothing is contradictory.
    let others: [String: String]
    let arrived: @Sendable (Configuration) -> Bool

    init(
        _ name: String, _ text: String, shown: String? = nil, with others: [String: String] = [:],
        _ arrived: @escaping @Sendable (Configuration) -> Bool
    ) {
        self.name = name
        self.text = text
        self.shown = shown ?? text
        self.others = others
        self.arrived = arrived
    }

    var testDescription: String {
        "\(name)=\(text)"
    }

    var environment: [String: String] {
        others.merging([name: text]) { _, own in own }
    }
}

extension AcceptedValue {
    static let identity: [AcceptedValue] = [
        .init("KIDOBAN_LISTEN", "[::1]:81") { $0.http.listen == SocketAddress(listening: "[::1]:81") },
        .init("KIDOBAN_LISTEN", ":0", shown: "0.0.0.0:0") { $0.http.listen == .ip(.v4(0), port: 0) },
        .init("KIDOBAN_OPERATIONS_LISTEN", "127.0.0.2:9") { $0.operations.listen == .ip(.v4(0x7F00_0002), port: 9) },
        .init("KIDOBAN_ISSUER", "https://id.example.com/tenant-1") { $0.issuer == "https://id.example.com/tenant-1" },
        .init("KIDOBAN_ISSUER", "http://[::1]:8080") { $0.issuer == "http://[::1]:8080" && $0.audience == $0.issuer },
        .init("KIDOBAN_ECHOLOG_PREFIX", "/api/v1") { $0.apis[prefixOf: "app"] == "/api/v1" },
        .init("KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH", "true") { $0.app.believesUnprovedIdentities },
        .init("KIDOBAN_ECHOLOG_PREFIX", "") { $0.apis[prefixOf: "app"].isEmpty },
        .init("KIDOBAN_ECHOLOG_VERIFICATION_MAIL", "false") { !$0.app.mailsVerification },
        .init("KIDOBAN_APP_RESET_LINK", "https://a.example/reset#{code}") {
            $0.placedApp.resetLink == "https://a.example/reset#{code}" && $0.placedApp.needsPages
        },
        .init("KIDOBAN_APP_VERIFICATION_LINK", "https://a.example/confirm/{code}") {
            $0.placedApp.verificationLink == "https://a.example/confirm/{code}"
        },
        .init("KIDOBAN_APP_ADDRESS_LINK", "https://a.example/address/{code}") {
            $0.placedApp.addressLink == "https://a.example/address/{code}"
        },
        .init("KIDOBAN_APP_DELETE_IN_OLD_SESSIONS", "true") { $0.app.deletesInOldSessions },
        .init("KIDOBAN_RECENT_SIGN_IN", "90s") { $0.accounts.recentSignIn == .seconds(90) },
        .init("KIDOBAN_SIGN_UP_BY_MAIL", "true") { $0.accounts.signsUpByMail },
        .init("KIDOBAN_ECHOLOG_ROTATE", "true") { $0.apis.rotatesRefreshTokens },
        .init("KIDOBAN_SCOPES", "openid  orders:read", shown: "openid orders:read") {
            $0.tokens.scopes == ["openid", "orders:read"] && $0.tokens.appScopes == ["openid", "orders:read", "account"]
        },
        .init("KIDOBAN_SCOPES", "") { $0.tokens.appScopes == ["account"] },
        .init("KIDOBAN_CLOCK_TOLERANCE", "2s") { $0.clockTolerance == .seconds(2) },
        .init("KIDOBAN_PAGES_PREFIX", "/id") { $0.apis[prefixOf: "pages"] == "/id" },
        .init("KIDOBAN_APIS", "all") { $0.apis.open == .all },
        .init("KIDOBAN_APIS", "oauth,app", shown: "app,oauth") { $0.apis.open == .only(["app", "oauth"]) },
        .init("KIDOBAN_MASTER_KEY", Sample.masterKey, shown: "‹redacted›") { $0.secrets.masterKey != nil },
        .init("KIDOBAN_MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", shown: "‹redacted›") {
            $0.secrets.masterKey != nil
        },
        .init("KIDOBAN_PREVIOUS_MASTER_KEY", Sample.masterKey, shown: "‹redacted›") { $0.secrets.previousMasterKey != nil },
        .init("KIDOBAN_SIGNING_ALGORITHM", "RS256") { $0.tokens.signingAlgorithm == .rs256 },
        .init("KIDOBAN_SIGNING_KEY_LIFETIME", "90d") { $0.tokens.signingKeyLifetime == .seconds(90 * 86_400) },
        .init("KIDOBAN_AUDIENCE", "https://api.example.com/") {
            $0.audience == "https://api.example.com/" && $0.issuer == "http://localhost:8080"
        },
        .init("KIDOBAN_ACCESS_TOKEN_LIFETIME", "300s", shown: "5m") { $0.tokens.accessTokenLifetime == .seconds(300) },
        .init("KIDOBAN_CLIENT_CACHE_LIFETIME", "0s") { $0.clients.cacheLifetime == .zero },
        .init("KIDOBAN_SESSION_IDLE_LIFETIME", "36h") { $0.sessions.lifetime.idle == .seconds(129_600) },
        .init("KIDOBAN_SESSION_LIFETIME", "31d") { $0.sessions.lifetime.absolute == .seconds(31 * 86_400) },
        .init("KIDOBAN_SESSIONS_PER_USER", "7") { $0.sessions.perUser == 7 },
        .init("KIDOBAN_TOKEN_PREFIX", "/api") { $0.apis[prefixOf: "token"] == "/api" },
        .init("KIDOBAN_COOKIE_PREFIX", "/web") { $0.apis[prefixOf: "cookie"] == "/web" },
        .init("KIDOBAN_COOKIE_IDLE_LIFETIME", "10m") { $0.cookies.idleLifetime == .seconds(600) },
        .init("KIDOBAN_COOKIE_LIFETIME", "1d") { $0.cookies.absoluteLifetime == .seconds(86_400) },
        .init("KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME", "7d") { $0.cookies.rememberedIdleLifetime == .seconds(7 * 86_400) },
        .init("KIDOBAN_COOKIE_REMEMBERED_LIFETIME", "30d") { $0.cookies.rememberedLifetime == .seconds(30 * 86_400) },
        .init("KIDOBAN_COOKIE_TOUCH_SLIDES", "false") { !$0.cookies.touchSlides },
        .init("KIDOBAN_COOKIE_ORIGINS", "https://b.example,HTTPS://A.example:443", shown: "https://a.example,https://b.example") {
            $0.cookies.trustedOrigins.map(\.text).sorted() == ["https://a.example", "https://b.example"]
        },
        .init("KIDOBAN_COOKIE_ORIGINS", "") { $0.cookies.trustedOrigins.isEmpty },
        .init("KIDOBAN_COOKIE_SAME_SITE", "strict") { $0.cookies.sameSite == .strict },
        .init("KIDOBAN_COOKIE_SAME_SITE", "none", with: ["KIDOBAN_ISSUER": "https://id.example.com"]) {
            $0.cookies.sameSite == .none
        },
        .init("KIDOBAN_REFRESH_GRACE", "1500ms") { $0.sessions.refreshPolicy.grace == .milliseconds(1500) },
        .init("KIDOBAN_REFRESH_RECOVERY", "0s", with: ["KIDOBAN_REFRESH_GRACE": "0s"]) {
            $0.sessions.refreshPolicy == .strict
        },
        .init("KIDOBAN_ARGON2_MEMORY", "65536") { $0.passwords.argon2.memoryKiB == 65536 },
        .init("KIDOBAN_ARGON2_ITERATIONS", "3") { $0.passwords.argon2.iterations == 3 },
        .init("KIDOBAN_ARGON2_PARALLELISM", "4") { $0.passwords.argon2.parallelism == 4 },
        .init("KIDOBAN_HIDE_IMPORTED_HASHES", "false") { !$0.passwords.hidesImported },
        .init("KIDOBAN_HASH_THREADS", "5") { $0.passwords.threadCount == 5 },
        .init("KIDOBAN_HASH_THREADS", "0") { $0.passwords.threadCount >= 1 },
        .init("KIDOBAN_HASH_QUEUE", "9") { $0.passwords.bounds.all == 9 },
        .init("KIDOBAN_HASH_QUEUE_ADDRESS", "7") { $0.passwords.bounds.address == 7 },
        .init("KIDOBAN_HASH_QUEUE_SITE", "6") { $0.passwords.bounds.network == 6 },
        .init("KIDOBAN_HASH_QUEUE_ACCOUNT", "5") { $0.passwords.bounds.groups == [5, 80] },
        .init("KIDOBAN_HASH_QUEUE_CLIENT", "4") { $0.passwords.bounds.groups == [8, 4] },
        .init("KIDOBAN_AUDIT_QUEUE", "500") { $0.audit.queueLimit == 500 },
        .init("KIDOBAN_LIMIT_SPRAY_ACCOUNTS", "7") { $0.limits.sprayAccounts == 7 },
        .init("KIDOBAN_AUDIT_REFRESHES", "none") { $0.audit.refreshes == .none },
        .init("KIDOBAN_AUDIT_RETENTION", "90d") { $0.audit.retention == .seconds(90 * 86_400) },
        .init("KIDOBAN_AUTHORIZATION_CODE_LIFETIME", "20s") { $0.authorization.codeLife == .seconds(20) },
        .init("KIDOBAN_AUTHORIZATION_CODE_MEMORY", "2h") { $0.authorization.codeMemory == .seconds(7200) },
        .init("KIDOBAN_PUSHED_REQUEST_LIFETIME", "2m") { $0.authorization.pushedRequestLife == .seconds(120) },
        .init("KIDOBAN_DEVICE_CODE_LIFETIME", "5m") { $0.authorization.deviceCodeLife == .seconds(300) },
        .init("KIDOBAN_ID_TOKEN_LIFETIME", "15m") { $0.authorization.idTokenLife == .seconds(900) },
        .init("KIDOBAN_DPOP_NONCE", "false") { !$0.authorization.requiresDPoPNonce },
    ]

    static let limits: [AcceptedValue] =
        [
            .init("KIDOBAN_LIMITS", "false") { !$0.limits.isEnforced },
            .init("KIDOBAN_LIMIT_SIGN_IN_ACCOUNT", "60/3600s", shown: "60/1h") {
                $0.limits[.signInAccount] == Budget(60, per: .seconds(3600))
            },
            .init("KIDOBAN_LIMIT_KNOWN_DEVICE_LIFETIME", "30d") { $0.limits.knownDeviceLifetime == .seconds(30 * 86_400) },
            .init("KIDOBAN_LIMIT_KNOWN_DEVICES", "5") { $0.limits.knownDevices == 5 },
        ] + budgets

    /// The budgets, which are all read alike.
    private static let budgets: [AcceptedValue] = [
        ("SIGN_IN_ACCOUNT_ADDRESS", .signInAccountAddress), ("SIGN_IN_KNOWN_DEVICE", .signInKnownDevice),
        ("SIGN_IN_ADDRESS", .signInAddress), ("SIGN_IN_DEVICE", .signInDevice), ("SIGN_IN_CLIENT", .signInClient),
        ("SIGN_UP_ACCOUNT", .signUpAccount), ("SIGN_UP_ADDRESS", .signUpAddress), ("SIGN_UP_CLIENT", .signUpClient),
        ("REFRESH_SESSION", .refreshSession), ("REFRESH_ADDRESS", .refreshAddress), ("CODE_ACCOUNT_ADDRESS", .codeAccountAddress),
        ("SIGN_IN_IDENTITY", .signInIdentity), ("PROVIDER_TOKEN_ADDRESS", .providerTokenAddress), ("HASH_ADDRESS", .hashAddress),
        ("HASH_SITE", .hashSite), ("AUTHORIZE_ADDRESS", .authorizeAddress), ("AUTHORIZE_CLIENT", .authorizeClient),
        ("TOKEN_ADDRESS", .tokenAddress), ("TOKEN_CLIENT", .tokenClient),
        ("CODE_ADDRESS", .codeAddress), ("MAIL_RECIPIENT", .mailRecipient), ("MAIL_KNOWN_DEVICE", .mailKnownDevice),
        ("MAIL_ADDRESS", .mailAddress),
    ].flatMap { (name: String, bucket: LimitBucket) in
        // Without one for accounts, those by account and address are free.
        let others = bucket == .signInAccountAddress ? ["KIDOBAN_LIMIT_SIGN_IN_ACCOUNT": "off"] : [:]
        return [
            AcceptedValue("KIDOBAN_LIMIT_\(name)", "7/90s", with: others) {
                $0.limits[bucket] == Budget(7, per: .seconds(90))
            },
            AcceptedValue("KIDOBAN_LIMIT_\(name)", "off", with: others) { $0.limits[bucket] == nil },
        ]
    }

    static let stores: [AcceptedValue] = [
        .init("DATABASE_URL", "postgresql://db.example.com:5433/k") {
            $0.database.connectionString.target == "db.example.com:5433/k" && $0.database.connectionsPerLoop == 4
        },
        .init("DATABASE_URL", "host=/run/postgresql dbname=k") { $0.database.connectionString.target == "/run/postgresql/k" },
        .init("KIDOBAN_DATABASE_POOL", "12") { $0.database.connectionsPerLoop == 12 },
        .init("KIDOBAN_DATABASE_QUEUE", "13") { $0.database.waitingLimit == 13 },
        .init("KIDOBAN_DATABASE_DEADLINE", "700ms") { $0.database.deadline == .milliseconds(700) },
        .init("KIDOBAN_DATABASE_CONNECT_TIMEOUT", "3s") { $0.database.connectTimeout == .seconds(3) },
        .init("KIDOBAN_MIGRATE", "false") { !$0.lifecycle.migratesAtStart },
        .init("REDIS_URL", "redis://cache.example.com", shown: "redis://cache.example.com:6379") {
            $0.redis.endpoint == .host("cache.example.com", port: 6379) && !$0.redis.usesTLS
        },
        .init("REDIS_URL", "rediss://kidoban:secret@[::1]:7000/3", shown: "rediss://kidoban:‹redacted›@[::1]:7000/3") {
            $0.redis.endpoint == .host("::1", port: 7000) && $0.redis.usesTLS && $0.redis.database == 3
                && $0.redis.username == "kidoban" && $0.redis.password == "secret"
        },
        .init("REDIS_URL", "unix:///run/redis.sock?db=2") {
            $0.redis.endpoint == .unix(path: "/run/redis.sock") && $0.redis.database == 2
        },
        .init("KIDOBAN_REDIS_CA_FILE", "/etc/ca.pem", with: ["REDIS_URL": "rediss://r"]) {
            $0.redis.authoritiesFile == "/etc/ca.pem"
        },
        .init("KIDOBAN_REDIS_DEADLINE", "250ms") { $0.redis.commandDeadline == .milliseconds(250) },
        .init("KIDOBAN_REDIS_CONNECT_TIMEOUT", "4s") { $0.redis.connectTimeout == .seconds(4) },
        .init("KIDOBAN_REDIS_REPEAT_WINDOW", "0s") { $0.redis.repeatWindow == .zero },
        .init("KIDOBAN_REDIS_REPEAT_LIMIT", "77") { $0.redis.repeatLimit == 77 },
        .init("KIDOBAN_CA_FILE", "/etc/ca.pem") { $0.outbound.authoritiesFile == "/etc/ca.pem" },
        .init("KIDOBAN_OUTBOUND_PROXY", "http://proxy.example.com:3128") {
            $0.outbound.proxy == "http://proxy.example.com:3128"
        },
        .init("KIDOBAN_OUTBOUND_PROXY", "http://[::1]:80") { $0.outbound.proxy == "http://[::1]:80" },
        .init("KIDOBAN_OUTBOUND_CONNECT_TIMEOUT", "3s") { $0.outbound.connectTimeout == .seconds(3) },
        .init("KIDOBAN_OUTBOUND_TIMEOUT", "4s") { $0.outbound.timeout == .seconds(4) },
        .init("KIDOBAN_KEY_REFETCH_INTERVAL", "30s") { $0.keySets.refetchInterval == .seconds(30) },
        .init("KIDOBAN_KEY_SET_MEMORY", "0s") { $0.keySets.rememberedLifetime == .zero },
        .init("KIDOBAN_OUTBOUND_CALLS_PER_ADDRESS", "7") { $0.providerTokens.callsPerAddress == 7 },
    ]

    static let proxies: [AcceptedValue] = [
        .init("KIDOBAN_TRUSTED_PROXIES", "") { $0.http.proxies.blocks.isEmpty },
        .init(
            "KIDOBAN_TRUSTED_PROXIES", "10.0.0.10, 172.16.0.0/12,FD00::/8,::ffff:192.168.0.0/112",
            shown: "10.0.0.10/32,172.16.0.0/12,fd00::/8,192.168.0.0/16"
        ) {
            $0.http.proxies.blocks.map(\.prefixLength) == [32, 12, 8, 16]
        },
        .init("KIDOBAN_TRUSTED_PROXIES", "10.0.0.0/8,fc00::/7") { $0.http.proxies.blocks.count == 2 },
        .init("KIDOBAN_FORWARDED_HEADER", "forwarded") { $0.http.proxies.field == .forwarded },
        .init("KIDOBAN_FORWARDED_HEADER", "x-forwarded-for") { $0.http.proxies.field == .xForwardedFor },
        .init("KIDOBAN_PROXY_PROTOCOL", "off") { $0.http.proxies.proxyProtocol == .off },
        .init("KIDOBAN_PROXY_PROTOCOL", "on", with: ["KIDOBAN_TRUSTED_PROXIES": "10.0.0.10"]) {
            $0.http.proxies.proxyProtocol == .on
        },
    ]

    static let process: [AcceptedValue] = [
        .init("KIDOBAN_MAX_CONNECTIONS", "42") { $0.http.maximumConnections == 42 },
        .init("KIDOBAN_MAX_CONNECTIONS_PER_ADDRESS", "43") { $0.http.connectionsPerAddress == 43 },
        .init("KIDOBAN_CONNECTION_MEMORY", "128MiB") { $0.http.connectionMemory == 134_217_728 },
        .init("KIDOBAN_MAX_REQUEST_LINE", "4096", shown: "4KiB") { $0.http.limits.requestLine == 4096 },
        .init("KIDOBAN_MAX_HEADER_SECTION", "32KiB") { $0.http.limits.headerSection == 32_768 },
        .init("KIDOBAN_MAX_HEADER_FIELDS", "50") { $0.http.limits.fieldCount == 50 },
        .init("KIDOBAN_MAX_BODY", "2MiB") { $0.http.limits.body == 2_097_152 },
        .init("KIDOBAN_HEADER_TIMEOUT", "11s") { $0.http.limits.headTimeout == .seconds(11) },
        .init("KIDOBAN_BODY_TIMEOUT", "12s") { $0.http.limits.bodyTimeout == .seconds(12) },
        .init("KIDOBAN_IDLE_TIMEOUT", "13s") { $0.http.limits.idleTimeout == .seconds(13) },
        .init("KIDOBAN_WRITE_TIMEOUT", "14s") { $0.http.limits.writeTimeout == .seconds(14) },
        .init("KIDOBAN_LOOPS", "3") { $0.loopCount == 3 },
        .init("KIDOBAN_LOOPS", "0") { $0.loopCount == EventLoopGroup.usualCount },
        .init("KIDOBAN_SETTINGS_FILE", "/etc/kidoban.env") { $0.settingsFile == "/etc/kidoban.env" },
        .init("KIDOBAN_DRAIN_DELAY", "5s") { $0.lifecycle.drainDelay == .seconds(5) },
        .init("KIDOBAN_DRAIN_TIMEOUT", "1m") { $0.lifecycle.drainTimeout == .seconds(60) },
        .init("KIDOBAN_SLOW_REQUEST", "250ms") { $0.logging.slowRequest == .milliseconds(250) },
        .init("KIDOBAN_SLOW_REQUEST", "0s") { $0.logging.slowRequest == .zero },
        .init("KIDOBAN_LOG_LEVEL", "warning") { $0.logging.level == .warning },
        .init("KIDOBAN_LOG_FORMAT", "text") { $0.logging.format(isTerminal: false) == .text(colour: false) },
    ]

    static let federation: [AcceptedValue] = [
        .init("KIDOBAN_APPLE_CLIENT_IDS", "com.x.app, com.x.web", shown: "com.x.app,com.x.web") {
            $0.federation.providers == [IdentityProvider.apple(clientIDs: ["com.x.app", "com.x.web"])]
        },
        .init("KIDOBAN_APPLE_ISSUERS", "https://a.example,b") { $0.federation.apple.issuers == ["https://a.example", "b"] },
        .init("KIDOBAN_APPLE_JWKS_URL", "http://127.0.0.1:8081/keys") {
            $0.federation.apple.keySetURL == "http://127.0.0.1:8081/keys"
        },
        .init("KIDOBAN_APPLE_NONCE", "required") {
            $0.federation.apple.nonceRule == NonceRule(.required, form: .plainOrHashed)
        },
        .init("KIDOBAN_GOOGLE_CLIENT_IDS", "a.apps.googleusercontent.com") {
            $0.federation.providers == [IdentityProvider.google(clientIDs: ["a.apps.googleusercontent.com"])]
        },
        .init("KIDOBAN_GOOGLE_ISSUERS", "https://a.example") { $0.federation.google.issuers == ["https://a.example"] },
        .init("KIDOBAN_GOOGLE_JWKS_URL", "https://a.example/keys") {
            $0.federation.google.keySetURL == "https://a.example/keys"
        },
        .init("KIDOBAN_GOOGLE_NONCE", "required-hashed") {
            $0.federation.google.nonceRule == NonceRule(.required, form: .hashed)
        },
        .init("KIDOBAN_PROVIDERS", "acme", with: ProviderSettingsTests.acme) {
            $0.federation.providers.map(\.id.text) == ["acme"]
        },
    ]

    private static let appleKey = (try? AppleKeySettingsTests.pem(SigningKey.generate(.es256))) ?? ""
    private static let team = ("KIDOBAN_APPLE_TEAM_ID", "ABCDE12345")
    private static let keyName = ("KIDOBAN_APPLE_KEY_ID", "FGHIJ67890")
    private static let key = ("KIDOBAN_APPLE_PRIVATE_KEY", appleKey)

    static let providerTokens: [AcceptedValue] = [
        .init(team.0, team.1, with: Dictionary(uniqueKeysWithValues: [keyName, key])) {
            $0.providerTokens.appleTeamID == "ABCDE12345"
        },
        .init(keyName.0, keyName.1, with: Dictionary(uniqueKeysWithValues: [team, key])) {
            $0.providerTokens.appleKeyID == "FGHIJ67890"
        },
        .init(key.0, key.1, shown: "‹redacted›", with: Dictionary(uniqueKeysWithValues: [team, keyName])) {
            $0.providerTokens.appleCredentials != nil
        },
        .init("KIDOBAN_APPLE_TOKEN_URL", "http://127.0.0.1:1/token") {
            $0.providerTokens.appleTokenURL == "http://127.0.0.1:1/token"
        },
        .init("KIDOBAN_APPLE_REVOKE_URL", "https://a.example/revoke") {
            $0.providerTokens.appleRevokeURL == "https://a.example/revoke"
        },
        .init("KIDOBAN_APPLE_CODE_CLIENT_ID", "b", with: ["KIDOBAN_APPLE_CLIENT_IDS": "a,b"]) {
            $0.providerTokens.explicitAppleCodeClientID == "b"
        },
        .init("KIDOBAN_APPLE_REDIRECT_URI", "https://app.example/done") {
            $0.providerTokens.appleRedirectURI == "https://app.example/done"
        },
        .init(
            "KIDOBAN_GOOGLE_CLIENT_SECRET", "GOCSPX-secret", shown: "‹redacted›", with: ["KIDOBAN_GOOGLE_CLIENT_IDS": "a"]
        ) { $0.providerTokens.googleClientSecret?.revealedText == "GOCSPX-secret" },
        .init("KIDOBAN_GOOGLE_CODE_CLIENT_ID", "a", with: ["KIDOBAN_GOOGLE_CLIENT_IDS": "a"]) {
            $0.providerTokens.explicitGoogleCodeClientID == "a"
        },
        .init("KIDOBAN_GOOGLE_REDIRECT_URI", "https://app.example/done") {
            $0.providerTokens.googleRedirectURI == "https://app.example/done"
        },
        .init("KIDOBAN_GOOGLE_TOKEN_URL", "http://127.0.0.1:1/t") { $0.providerTokens.googleTokenURL == "http://127.0.0.1:1/t" },
        .init("KIDOBAN_GOOGLE_TOKENINFO_URL", "http://127.0.0.1:1/i") {
            $0.providerTokens.googleTokenInfoURL == "http://127.0.0.1:1/i"
        },
        .init("KIDOBAN_GOOGLE_REVOKE_URL", "https://a.example/revoke") {
            $0.providerTokens.googleRevokeURL == "https://a.example/revoke"
        },
        .init("KIDOBAN_GOOGLE_RISC_JWKS_URL", "https://a.example/keys") {
            $0.providerTokens.googleEventKeysURL == "https://a.example/keys"
        },
    ]

    static let all: [AcceptedValue] = Array(
        [
            identity, proxies, limits, restAuth, federation, providerTokens, backends, firebase, signIn, stores, mail, process,
        ].joined())
}

@Suite struct SettingValueTests {
    private static let files = FileReader { path throws(FileFault) in
        switch path {
        case "/etc/ca.pem": return Sample.file("authorities", mode: 0o644)
        case "/etc/kidoban.env": return Sample.file("", mode: 0o644)
        case "/etc/mail", "/etc/pages": throw .isDirectory
        default: throw .missing
        }
    }

    @Test(arguments: AcceptedValue.all)
    func `a good value arrives`(_ value: AcceptedValue) throws {
        #expect(value.arrived(try Sample.read(value.environment, files: Self.files)))
    }

    @Test(arguments: AcceptedValue.all)
    func `a value is shown in one spelling, with its origin`(_ value: AcceptedValue) throws {
        #expect(
            try Sample.shown(value.name, value.environment, files: Self.files)
                == "\(value.name)=\(value.shown)  # environment")
    }

    @Test func `every setting is among those tested`() {
        #expect(Set(AcceptedValue.all.map(\.name)) == Set(Settings.all.map(\.name)))
        #expect(Settings.all.count == Set(Settings.all.map(\.name)).count)
    }

    @Test(arguments: Settings.all.map(\.name))
    func `no setting may be empty, but those for which that is a value`(_ name: String) {
        let problems = Sample.problems([name: ""])
        let lists = [
            "KIDOBAN_COOKIE_ORIGINS", "KIDOBAN_TRUSTED_PROXIES", "KIDOBAN_SMTP_URL", "KIDOBAN_MAIL_SENDER",
            "KIDOBAN_MAIL_TEMPLATES", "KIDOBAN_SCOPES", "KIDOBAN_APP_AUDIENCES", "KIDOBAN_VERIFY_FROM",
            "KIDOBAN_FIREBASE_API_KEYS", "KIDOBAN_FIREBASE_DOMAINS", "KIDOBAN_PAGES_NAME",
            "KIDOBAN_PAGES_TEXTS",
        ]
        let isCookieName = name.hasSuffix("_COOKIE") && name != "KIDOBAN_VERIFY_COOKIE"
        guard !name.hasSuffix("_PREFIX"), !isCookieName, !lists.contains(name) else {
            #expect(problems.isEmpty)
            return
        }
        #expect(problems.map(\.reason) == [.refused("is empty")])
    }

    @Test(arguments: Settings.all.map(\.name))
    func `a value with a blank before or after it is refused`(_ name: String) throws {
        let value = try #require(AcceptedValue.all.first { $0.name == name })
        // libpq and file names take blanks.
        guard !["DATABASE_URL", "KIDOBAN_REDIS_CA_FILE", "KIDOBAN_CA_FILE", "KIDOBAN_SETTINGS_FILE"].contains(name) else {
            return
        }
        for text in [" " + value.text, value.text + " "] {
            #expect(Sample.problems(value.others.merging([name: text]) { $1 }).map(\.name) == [name])
        }
    }

    @Test(arguments: Settings.all)
    func `every default is accepted when it is given`(_ setting: Setting) throws {
        guard case .value(let text) = setting.fallback else { return }
        #expect(Sample.problems([setting.name: text]).isEmpty)
        #expect(try Sample.shown(setting.name, [:]) == "\(setting.name)=\(text)  # default")
    }
}

extension Setting: CustomTestStringConvertible {
    public var testDescription: String {
        name
    }
}
