import Testing

@testable import Server

@Suite struct ContradictionTests {
    @Test(arguments: [
        (
            ["KIDOBAN_SESSION_IDLE_LIFETIME": "31d", "KIDOBAN_SESSION_LIFETIME": "30d"],
            "KIDOBAN_SESSION_IDLE_LIFETIME (31d) is longer than KIDOBAN_SESSION_LIFETIME (30d)"
        ),
        (
            ["KIDOBAN_SESSION_LIFETIME": "1d"],
            "KIDOBAN_SESSION_IDLE_LIFETIME (30d) is longer than KIDOBAN_SESSION_LIFETIME (1d)"
        ),
        (
            ["KIDOBAN_ACCESS_TOKEN_LIFETIME": "2h", "KIDOBAN_SESSION_IDLE_LIFETIME": "1h"],
            "KIDOBAN_ACCESS_TOKEN_LIFETIME (2h) is longer than KIDOBAN_SESSION_IDLE_LIFETIME (1h)"
        ),
        (
            ["KIDOBAN_REFRESH_GRACE": "60s", "KIDOBAN_REFRESH_RECOVERY": "0s"],
            "KIDOBAN_REFRESH_GRACE (1m) is longer than KIDOBAN_REFRESH_RECOVERY (0s)"
        ),
        (
            ["KIDOBAN_COOKIE_IDLE_LIFETIME": "13h"],
            "KIDOBAN_COOKIE_IDLE_LIFETIME (13h) is longer than KIDOBAN_COOKIE_LIFETIME (12h)"
        ),
        (
            ["KIDOBAN_COOKIE_REMEMBERED_LIFETIME": "13d"],
            "KIDOBAN_COOKIE_REMEMBERED_IDLE_LIFETIME (14d) is longer than KIDOBAN_COOKIE_REMEMBERED_LIFETIME (13d)"
        ),
    ])
    func `a part is not longer than the whole`(_ environment: [String: String], _ message: String) {
        #expect(Sample.problems(environment).map(\.description) == [message])
    }

    @Test(arguments: [
        ["KIDOBAN_SESSION_IDLE_LIFETIME": "30d", "KIDOBAN_SESSION_LIFETIME": "30d"],
        ["KIDOBAN_ACCESS_TOKEN_LIFETIME": "1h", "KIDOBAN_SESSION_IDLE_LIFETIME": "1h"],
        ["KIDOBAN_REFRESH_GRACE": "0s", "KIDOBAN_REFRESH_RECOVERY": "0s"],
        ["KIDOBAN_REFRESH_GRACE": "1m", "KIDOBAN_REFRESH_RECOVERY": "1m"],
        ["KIDOBAN_REFRESH_GRACE": "0s"],
    ])
    func `it may be as long`(_ environment: [String: String]) {
        #expect(Sample.problems(environment).isEmpty)
    }

    @Test(arguments: [
        (
            ["KIDOBAN_GOOGLE_CODE_CLIENT_ID": "b", "KIDOBAN_GOOGLE_CLIENT_IDS": "a"],
            "KIDOBAN_GOOGLE_CODE_CLIENT_ID is not among KIDOBAN_GOOGLE_CLIENT_IDS"
        ),
        (
            ["KIDOBAN_APPLE_CODE_CLIENT_ID": "b"],
            "KIDOBAN_APPLE_CODE_CLIENT_ID is not among KIDOBAN_APPLE_CLIENT_IDS"
        ),
        (
            ["KIDOBAN_GOOGLE_CLIENT_SECRET": "GOCSPX-secret"],
            "KIDOBAN_GOOGLE_CLIENT_SECRET has no use, because KIDOBAN_GOOGLE_CLIENT_IDS is not set"
        ),
    ])
    func `codes are exchanged as one of our own clients`(_ environment: [String: String], _ message: String) {
        #expect(Sample.problems(environment).map(\.description) == [message])
    }

    @Test(arguments: [
        ("127.0.0.1:9090", "127.0.0.1:9090", false), ("0.0.0.0:9090", "127.0.0.1:9090", false),
        ("[::]:9090", "127.0.0.1:9090", false),
        ("127.0.0.1:9090", ":9090", false), ("[::1]:1", "[::1]:1", false), ("127.0.0.1:0", "127.0.0.1:0", true),
        ("127.0.0.1:9090", "127.0.0.2:9090", true), ("127.0.0.1:9090", "127.0.0.1:9091", true),
    ])
    func `the listeners have addresses of their own`(_ http: String, _ operations: String, _ isAccepted: Bool) {
        let problems = Sample.problems(["KIDOBAN_LISTEN": http, "KIDOBAN_OPERATIONS_LISTEN": operations])
        #expect(problems.isEmpty == isAccepted)
        #expect(problems.allSatisfy { $0.name == "KIDOBAN_OPERATIONS_LISTEN" })
    }

    @Test(arguments: [
        ("http://localhost:8080", true), ("http://LOCALHOST", true), ("http://127.0.0.1:8080", true), ("https://127.1.2.3", true),
        ("http://[::1]:8080", true), ("http://id.localhost/a", true), ("https://id.example.com", false),
        ("http://10.0.0.5:8080", false), ("https://localhost.example.com", false), ("https://notlocalhost", false),
        ("http://[::2]", false), ("https://128.0.0.1", false), ("http://127.0.0.1.example.com", false),
    ])
    func `only who serves nobody else may believe without a proof`(_ issuer: String, _ isAccepted: Bool) {
        let name = "KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH"
        let problems = Sample.problems(["KIDOBAN_ISSUER": issuer, name: "true"])
        #expect(problems.map(\.name) == (isAccepted ? [] : [name]))
        #expect(Sample.problems(["KIDOBAN_ISSUER": issuer, name: "false"]).isEmpty)
    }

    @Test func `nothing goes out unsigned but from an emulator`() {
        var environment = [
            "KIDOBAN_FIREBASE_PROJECT": "demo-shop", "KIDOBAN_FIREBASE_UNSIGNED_TOKENS": "true", "KIDOBAN_LISTEN": "127.0.0.1:1",
            "KIDOBAN_ISSUER": "http://localhost:1",
        ]
        #expect(Sample.problems(environment).map(\.name) == ["KIDOBAN_FIREBASE_UNSIGNED_TOKENS"])
        environment["KIDOBAN_FIREBASE_EMULATOR"] = "true"
        #expect(Sample.problems(environment).isEmpty)
        environment["KIDOBAN_LISTEN"] = "0.0.0.0:1"
        #expect(Sample.problems(environment).map(\.name) == ["KIDOBAN_FIREBASE_EMULATOR"])
    }

    @Test func `where a sign-up says nothing, no username says it`() {
        let environment = ["KIDOBAN_SIGN_UP_BY_MAIL": "true", "KIDOBAN_REST_AUTH_LOGIN_NAME": "username"]
        #expect(Sample.problems(environment).map(\.name) == ["KIDOBAN_SIGN_UP_BY_MAIL"])
        let others = environment.merging(["KIDOBAN_APIS": "app,oauth"]) { $1 }
        #expect(Sample.problems(others).isEmpty)
        #expect(Sample.problems(["KIDOBAN_SIGN_UP_BY_MAIL": "true"]).isEmpty)
    }

    @Test func `a cookie for other sites is a mistake without https`() {
        let problems = Sample.problems(["KIDOBAN_COOKIE_SAME_SITE": "none", "KIDOBAN_ISSUER": "http://id.example.com"])
        #expect(problems.map(\.name) == ["KIDOBAN_COOKIE_SAME_SITE"])
    }

    @Test func `authorities without TLS are a mistake`() {
        let files = Sample.files(["/etc/ca.pem": Sample.file("authorities")])
        let environment = ["KIDOBAN_REDIS_CA_FILE": "/etc/ca.pem", "REDIS_URL": "redis://cache.example.com"]
        #expect(Sample.problems(environment, files: files).map(\.name) == ["KIDOBAN_REDIS_CA_FILE"])
    }

    @Test func `authorities that are not there are a mistake`() {
        let files = Sample.files([:])
        #expect(Sample.problems(["KIDOBAN_CA_FILE": "/etc/ca.pem"], files: files).map(\.name) == ["KIDOBAN_CA_FILE"])
    }

    @Test func `a setting that is wrong by itself is not held against another`() {
        let problems = Sample.problems(["KIDOBAN_SESSION_LIFETIME": "0s"])
        #expect(problems.map(\.reason) == [.refused("is less than 1s")])
    }

    @Test(arguments: [
        ("50/1h", "10/15m", true), ("41/1h", "10/15m", true), ("40/1h", "10/15m", false), ("10/1m", "10/15m", false),
        ("50/1h", "off", false), ("off", "off", true), ("off", "10/15m", true),
    ])
    func `one address cannot use up the budget of an account`(_ account: String, _ pair: String, _ isRight: Bool) {
        let problems = Sample.problems([
            "KIDOBAN_LIMIT_SIGN_IN_ACCOUNT": account, "KIDOBAN_LIMIT_SIGN_IN_ACCOUNT_ADDRESS": pair,
        ])
        #expect(problems.isEmpty == isRight)
        #expect(problems.map(\.name) == (isRight ? [] : ["KIDOBAN_LIMIT_SIGN_IN_ACCOUNT"]))
    }

    @Test func `the previous master key is another one`() {
        let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        let same = ["KIDOBAN_MASTER_KEY": Sample.masterKey, "KIDOBAN_PREVIOUS_MASTER_KEY": base64]
        #expect(Sample.problems(same).map(\.name) == ["KIDOBAN_PREVIOUS_MASTER_KEY"])
        let other = same.merging(["KIDOBAN_PREVIOUS_MASTER_KEY": String(Sample.masterKey.reversed())]) { $1 }
        #expect(Sample.problems(other).isEmpty)
    }

    @Test func `the PROXY protocol is for trusted proxies only`() {
        let message = "KIDOBAN_PROXY_PROTOCOL is on, but KIDOBAN_TRUSTED_PROXIES names no proxy that may use it"
        #expect(Sample.problems(["KIDOBAN_PROXY_PROTOCOL": "on"]).map(\.description) == [message])
        #expect(Sample.problems(["KIDOBAN_PROXY_PROTOCOL": "on", "KIDOBAN_TRUSTED_PROXIES": "10.0.0.10"]).isEmpty)
    }
}
