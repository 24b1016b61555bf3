import HTTP
import Identity
import Routing
import Server
import TestSupport
import Testing
import Text

@testable import Endpoints

/// How limits look from outside, at every API.
@Suite(.needsServers, .needsOwnRedis, .timeLimit(.minutes(5)))
struct LimitTests {
    private static let hour = Duration.seconds(3600)

    /// On a Redis of their own, because there it is the same address that asks in every test.
    private func run(
        _ budgets: [LimitBucket: Budget], _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (Installation, TestHTTPClient) async throws -> Void
    ) async throws {
        let redis = try TestRedis()
        let installation = try Installation(redisURL: redis.url) { configuration in
            configuration.limits = LimitSettings(everything: nil)
            for (bucket, budget) in budgets { configuration.limits[bucket] = budget }
            configure(&configuration)
        }
        try await installation.run { try await body($0, try $0.server) }
    }

    private func logIn(
        _ server: TestHTTPClient, _ email: String, _ password: String = "a wrong guess",
        _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        let body: JSONValue = ["email": .string(email), "password": .string(password)]
        var request = TestHTTPRequest.json("POST", "/auth/login", body.serialized)
        request.fields += fields
        return try await server.send(request)
    }

    private func expectLimited(
        _ response: TestHTTPResponse, _ body: String, limit: Int, after seconds: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 429, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.text == body, sourceLocation: sourceLocation)
        #expect(response.value("Retry-After") == "\(seconds)", sourceLocation: sourceLocation)
        #expect(response.value("RateLimit-Limit") == "\(limit)", sourceLocation: sourceLocation)
        #expect(response.value("RateLimit-Remaining") == "0", sourceLocation: sourceLocation)
        #expect(response.value("RateLimit-Reset") == "\(seconds)", sourceLocation: sourceLocation)
        #expect(response.value("Cache-Control") == "no-store", sourceLocation: sourceLocation)
        #expect(response.value("WWW-Authenticate") == nil, sourceLocation: sourceLocation)
    }

    @Test func `a guess at any API counts at all of them, and each says so in its words`() async throws {
        try await run([.signInAccountAddress: Budget(4, per: .seconds(3599))]) { _, server in
            let account = try await server.signUp()
            let (cookie, django) = (CookieClient(server), DjangoClient(server: server))
            #expect(try await logIn(server, account.email).status == 401)
            #expect(try await server.obtain(account.email, "a wrong guess").status == 401)
            #expect(try await cookie.logIn(account.email, "a wrong guess").status == 401)
            #expect(try await django.logIn(account.email, "a wrong guess").status == 400)
            // A quarter of the budget's period, rounded up.
            let limited = [
                (try await logIn(server, account.email, Account.password), #"{"error":"Too many requests"}"#),
                (try await server.obtain(account.email), #"{"detail":"Too Many Requests"}"#),
                (try await cookie.logIn(account.email), #"{"error":"too_many_requests"}"#),
                (
                    try await django.logIn(account.email),
                    #"{"detail":"Request was throttled. Expected available in 900 seconds.","#
                        + #""non_field_errors":["Request was throttled. Expected available in 900 seconds."]}"#
                ),
                (
                    try await django.logIn(account.email, DjangoClient.password, [("Accept-Language", "ja-JP")]),
                    #"{"detail":"リクエストの処理は絞られました。900秒後にもう一度お試しください。","#
                        + #""non_field_errors":["リクエストの処理は絞られました。900秒後にもう一度お試しください。"]}"#
                ),
            ]
            for (response, body) in limited { expectLimited(response, body, limit: 4, after: 900) }
            // Whoever comes back after that is let in.
            #expect(try await logIn(server, Account.newEmail()).status == 401)
        }
    }

    @Test func `one second is one, in English`() {
        #expect(
            RestAuth.Sentence.throttled(1).text(.english, RestAuth.Options())
                == "Request was throttled. Expected available in 1 second.")
    }

    @Test func `a client of OAuth is told to slow down`() {
        let response = OAuth.Failure(.tooManyRequests(retryAfter: .milliseconds(1001))).response
        #expect(response.status == .tooManyRequests)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"error":"slow_down","error_description":"too many requests"}"#)
        #expect(response.fields.values(named: "Retry-After") == ["2"])
    }

    @Test func `every answer of what is limited says where the caller stands, whoever there is`() async throws {
        try await run([.signInAccountAddress: Budget(3, per: .seconds(3000)), .signInAccount: Budget(2, per: Self.hour)]) {
            _, server in
            let account = try await server.signUp()
            for email in [account.email, Account.newEmail()] {
                let wrong = try await logIn(server, email)
                #expect(wrong.status == 401)
                #expect(wrong.value("RateLimit-Limit") == "3")
                #expect(wrong.value("RateLimit-Remaining") == "2")
                #expect(wrong.value("RateLimit-Reset") == "1000")
            }
            let right = try await logIn(server, account.email, Account.password)
            #expect(right.status == 200)
            #expect(right.value("RateLimit-Remaining") == "2")
            #expect(right.value("RateLimit-Reset") == "1000")
            #expect(try await server.get("/auth/me", bearer: account.accessToken).value("RateLimit-Limit") == nil)
        }
    }

    @Test func `no field of a request makes another caller of it`() async throws {
        try await run([.signInAddress: Budget(5, per: Self.hour)]) { _, server in
            let forged: [(name: String, value: String)] = [
                ("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "a"), ("X-Real-IP", "198.51.100.2"),
                ("Forwarded", "for=198.51.100.3"), ("X_Forwarded_For", "198.51.100.4"), ("X-Device-ID", "new"),
                ("X-Forwarded-For", "::ffff:198.51.100.5, 2001:db8::1"),
            ]
            _ = try await server.signUp()
            for field in forged.prefix(5) {
                #expect(try await logIn(server, Account.newEmail(), "wrong", [field]).status == 401)
            }
            for field in forged { #expect(try await logIn(server, Account.newEmail(), "wrong", [field]).status == 429) }
        }
    }

    @Test func `a device that has signed in before gets in where its address does not`() async throws {
        try await run([
            .signInAccountAddress: Budget(1, per: Self.hour), .signInKnownDevice: Budget(1, per: Self.hour),
        ]) { _, server in
            let account = try await server.signUp()
            let device = [(name: "X-Device-ID", value: "8b1f7f0c")]
            #expect(try await logIn(server, account.email, Account.password, device).status == 200)
            #expect(try await logIn(server, account.email).status == 401)
            #expect(try await logIn(server, account.email, Account.password).status == 429)
            for bad in [device + device, [(name: "X-Device-ID", value: String(repeating: "8", count: 129))]] {
                #expect(try await logIn(server, account.email, Account.password, bad).status == 429)
            }
            #expect(try await logIn(server, account.email, Account.password, device).status == 200)
        }
    }

    @Test func `a browser that has signed in before gets in where its address does not`() async throws {
        try await run([
            .signInAccountAddress: Budget(1, per: Self.hour), .signInKnownDevice: Budget(1, per: Self.hour),
        ]) { _, server in
            let (account, visitor) = (try await server.signUp(), PageVisitor(server))
            #expect(try await visitor.signIn(account.email).status == 303)
            #expect(try await logIn(server, account.email).status == 401)
            #expect(try await PageVisitor(server).signIn(account.email).status == 429)
            #expect(try await visitor.signIn(account.email).status == 303)
        }
    }

    @Test func `sign-up is limited before it tells which addresses there are`() async throws {
        try await run([.signUpAddress: Budget(3, per: Self.hour)]) { _, server in
            let (account, django) = (try await server.signUp(), DjangoClient(server: server))
            let taken: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
            #expect(try await server.post("/auth/register", taken).status == 400)
            // Whatever else is wrong with it.
            let registration = [("email", account.email), ("password1", "a"), ("password2", "b")]
            #expect(try await django.send("/registration/", registration).status == 400)
            let text = "Request was throttled. Expected available in 1200 seconds."
            expectLimited(
                try await django.send("/registration/", registration),
                #"{"detail":"\#(text)","non_field_errors":["\#(text)"]}"#, limit: 3, after: 1200)
            expectLimited(
                try await server.post("/auth/register", taken), #"{"error":"Too many requests"}"#, limit: 3, after: 1200)
        }
    }

    @Test func `refreshes are limited at every API that has them`() async throws {
        try await run([.refreshSession: Budget(2, per: Self.hour)]) { installation, server in
            let account = try await server.signUp()
            let body: JSONValue = ["refreshToken": .string(account.refreshToken)]
            for _ in 0..<2 { #expect(try await server.post("/auth/refresh", body).status == 200) }
            expectLimited(try await server.post("/auth/refresh", body), #"{"error":"Too many requests"}"#, limit: 2, after: 1800)
            let pair = try TokenPair(await server.obtain(account.email))
            for _ in 0..<2 { #expect(try await server.renew(pair.refreshToken).status == 200) }
            expectLimited(try await server.renew(pair.refreshToken), #"{"detail":"Too Many Requests"}"#, limit: 2, after: 1800)
            installation.clock.advance(by: .seconds(1800))
            #expect(try await server.post("/auth/refresh", body).status == 200)
        }
    }

    @Test func `mails are limited for everybody alike`() async throws {
        try await run([.mailRecipient: Budget(1, per: Self.hour)]) { _, server in
            let django = DjangoClient(server: server)
            let (known, _) = try await django.register()
            for email in [known, Account.newEmail()] {
                for path in ["/password/reset/", "/registration/resend-email/"] {
                    let response = try await django.send(path, [("email", email)])
                    #expect(response.status == 200, "beyond the budget nothing is sent, and nobody told")
                }
            }
        }
    }

    @Test func `id tokens that prove nothing are limited by address, and those that do cost nothing`() async throws {
        try await run([.providerTokenAddress: Budget(2, per: Self.hour)], TestProvider.configure) { _, server in
            for _ in 0..<4 { #expect(try await server.signIn("google", try TestProvider.google(Person())).status == 200) }
            for _ in 0..<2 { #expect(try await server.signIn("google", "garbage").status == 401) }
            expectLimited(
                try await server.signIn("google", try TestProvider.google(Person())), #"{"error":"Too many requests"}"#, limit: 2,
                after: 1800)
        }
    }

    @Test func `requests to the token endpoint are limited by address, and those that get tokens cost nothing`() async throws {
        try await run([.tokenAddress: Budget(2, per: Self.hour)]) { installation, server in
            let service = try await installation.addClient("service")
            let fields = [("grant_type", "client_credentials")]
            for _ in 0..<4 { #expect(try await server.form("/oauth2/token", fields, service).status == 200) }
            let wrong = Credentials(id: service.id, secret: "wrong")
            for _ in 0..<2 { #expect(try await server.form("/oauth2/token", fields, wrong).status == 401) }
            let refused = try await server.form("/oauth2/token", fields, service)
            #expect(refused.status == 429 && refused.json["error"] == "slow_down" && refused.value("Retry-After") != nil)
        }
    }

    @Test func `requests for authorizations are limited by address, whatever comes of them`() async throws {
        try await run([.authorizeAddress: Budget(2, per: Self.hour)]) { _, server in
            for _ in 0..<2 { #expect(try await server.get("/oauth2/authorize?client_id=nobody").status == 400) }
            let refused = try await server.get("/oauth2/authorize?client_id=nobody")
            #expect(refused.status == 429 && refused.value("Retry-After") != nil)
            let pushed = try await server.form("/oauth2/par", [("client_id", "nobody")])
            #expect(pushed.status == 429 && pushed.json["error"] == "slow_down")
        }
    }

    @Test func `sign-ins at providers that begin on our pages are limited by address, because each is kept`() async throws {
        try await run([.authorizeAddress: Budget(2, per: Self.hour)], TestProvider.configure) { _, server in
            let visitor = PageVisitor(server)
            let page = try await visitor.open("/sign-in")
            func begin() async throws -> TestHTTPResponse {
                try await visitor.submit(page, "/sign-in/provider", [("provider", "google")])
            }
            for _ in 0..<2 { #expect(try await begin().status == 303) }
            let refused = try await begin()
            #expect(refused.status == 429 && refused.value("Retry-After") != nil)
        }
    }

    @Test func `who has an address proved is not kept out by what strangers did with it, or beside`() async throws {
        let budget = Budget(1, per: Self.hour)
        let budgets: [LimitBucket: Budget] = [.signUpAccount: budget, .signUpAddress: budget, .signInAddress: budget]
        try await run(budgets, TestProvider.configure) { _, server in
            let (person, django) = (Person(), DjangoClient(server: server))
            let registration = [("email", person.email), ("password1", "a"), ("password2", "b")]
            #expect(try await django.send("/registration/", registration).status == 400)
            #expect(try await django.send("/registration/", registration).status == 429)
            _ = try await logIn(server, person.email)
            #expect(try await logIn(server, person.email).status == 429)
            #expect(try await server.signIn("google", try TestProvider.google(person)).status == 200)
            #expect(try await server.signIn("google", try TestProvider.google(Person())).status == 200)
        }
    }

    @Test func `asking which addresses there are by an id token without one is limited, and the token stays good`() async throws {
        try await run([.signInIdentity: Budget(2, per: .seconds(240))], TestProvider.configure) { installation, server in
            let account = try await server.signUp()
            let person = Person()
            for _ in 0..<2 {
                let token = try TestProvider.apple(person, ["email": .null])
                #expect(try await server.signIn("apple", token, ["email": .string(account.email)]).status == 400)
            }
            let token = try TestProvider.apple(person, ["email": .null])
            expectLimited(
                try await server.signIn("apple", token, ["email": .string(account.email)]),
                #"{"error":"Too many requests"}"#, limit: 2, after: 120)
            installation.clock.advance(by: .seconds(120))
            #expect(try await server.signIn("apple", token, ["email": .string(Person().email)]).status == 200)
        }
    }

    @Test func `asking which usernames there are by changing one's own is limited, and one's own is free`() async throws {
        try await run([.signUpAccount: Budget(2, per: Self.hour)]) { _, server in
            let django = DjangoClient(server: server)
            let (_, key) = try await django.signedIn()
            let authorization = [(name: "Authorization", value: "Token \(key)")]
            let name = try #require(try await django.user(key).json["username"]?.stringValue)
            func change(_ username: String) async throws -> Int {
                let body: JSONValue = ["username": .string(username), "first_name": .string(String(repeating: "x", count: 500))]
                return try await django.json("PATCH", "/user/", String(decoding: body.serialized, as: UTF8.self), authorization)
                    .status
            }
            for _ in 0..<4 { #expect(try await change(name) == 400) }
            #expect(try await change("somebody-else") == 400)
            #expect(try await change("somebody-other") == 400)
            #expect(try await change("somebody-third") == 429)
            #expect(try await change(name) == 400)
        }
    }

    @Test func `a success does not give back the work of hashing`() async throws {
        try await run([.hashAddress: Budget(3, per: Self.hour), .signInAddress: Budget(2, per: Self.hour)]) { _, server in
            let account = try await server.signUp()
            for _ in 0..<2 { #expect(try await logIn(server, account.email, Account.password).status == 200) }
            expectLimited(
                try await logIn(server, account.email, Account.password), #"{"error":"Too many requests"}"#, limit: 3, after: 1200
            )
            let newcomer: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
            #expect(try await server.post("/auth/register", newcomer).status == 429)
        }
    }

    @Test func `what was refused is counted by purpose and kind`() async throws {
        try await run([.signInAddress: Budget(1, per: Self.hour)]) { installation, server in
            for _ in 0..<3 { _ = try await logIn(server, Account.newEmail()) }
            let metrics = try await installation.copies[0].operations.get("/metrics").text
            #expect(metrics.contains("\nkidoban_limited_total{purpose=\"sign_in\",kind=\"address\"} 2\n"))
            #expect(metrics.contains("\nkidoban_limited_total{purpose=\"mail\",kind=\"recipient\"} 0\n"))
        }
    }
}
