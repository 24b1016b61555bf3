import Identity
import Networking
import Server
import TestSupport
import Testing
import Text

extension TestHTTPClient {
    /// Asks as a gateway does.
    func verify(
        _ token: String?, _ gateway: Credentials?, _ query: String = "", method: String = "GET", path: String = "/oauth2/verify",
        _ fields: [(name: String, value: String)] = []
    ) async throws -> TestHTTPResponse {
        var all = fields
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if let gateway { all.append(("X-Verify-Authorization", gateway.basic)) }
        return try await send(method, path + query, all)
    }
}

extension TestHTTPResponse {
    fileprivate var facts: [String: String] {
        Dictionary(
            fields.filter { $0.name.hasPrefix("X-Auth-") }.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + "|" + $1 })
    }

    fileprivate var challenge: String? { value("WWW-Authenticate") }
}

@Suite(.needsServers, .installation())
struct VerifyTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func sessionID(_ account: Account, _ backend: Credentials) async throws -> String {
        try #require(try await server.introspect(account.accessToken, backend).json["sid"]?.stringValue)
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func `a good token passes, with what is known of it`(_ method: String) async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let expected = [
            "X-Auth-Subject": account.id, "X-Auth-Session": try await sessionID(account, backend), "X-Auth-Client": "app",
            "X-Auth-Scope": "openid email profile account", "X-Auth-Email": account.email, "X-Auth-Email-Verified": "false",
        ]
        for path in ["/oauth2/verify", "/oauth2/verify/", "/oauth2/verify/orders/1"] {
            let response = try await server.verify(account.accessToken, backend, method: method, path: path)
            #expect(response.status == 204)
            #expect(response.facts == expected)
            #expect(response.body.isEmpty)
            #expect(response.value("Cache-Control") == "no-store")
        }
        let asked = try await server.verify(account.accessToken, backend, "?status=200", method: method)
        #expect(asked.status == 200 && asked.facts == expected)
        let byField = try await server.verify(
            account.accessToken, backend, method: method, path: "/oauth2/verify/x?scope=nothing", [("X-Verify-Status", "200")])
        #expect(byField.status == 200 && byField.facts == expected)
    }

    @Test func `without a token the challenge names no error`() async throws {
        let backend = try await #require(installation).backend()
        let basic = [("Authorization", "Basic dTpw")]
        for fields in [[], basic, [("Authorization", "Digest x")]] {
            let response = try await server.verify(nil, backend, "", fields)
            #expect(response.status == 401)
            #expect(response.challenge == #"Bearer realm="kidoban""#)
            #expect(response.facts.isEmpty)
        }
    }

    @Test func `what is no good access token is an invalid one`() async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        let gone = try await server.signUp()
        #expect(try await server.delete("/auth/me", bearer: gone.accessToken).status == 204)
        for token in [
            account.refreshToken, account.accessToken.withOtherEnd, gone.accessToken, "kda_x", "a b", "",
            String(repeating: "x", count: 9000),
        ] {
            let response = try await server.verify(token, backend)
            #expect(response.status == 401, "\(token.prefix(20))")
            #expect(response.challenge == #"Bearer realm="kidoban", error="invalid_token""#)
            #expect(response.facts.isEmpty)
        }
    }

    @Test func `two credentials are none`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        for fields in [
            [("Authorization", "Bearer \(token)")], [("Authorization", "Basic dTpw")],
        ] {
            let response = try await server.verify(token, backend, "", fields)
            #expect(response.status == 401)
            #expect(response.challenge == #"Bearer realm="kidoban", error="invalid_request""#)
        }
        let joined = try await server.verify("\(token), Bearer \(token)", backend)
        #expect(joined.status == 401)
    }

    @Test func `a token that is not for this is told what it lacks`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        #expect(try await server.verify(token, backend, "?scope=email+profile").status == 204)
        #expect(try await server.verify(token, backend, "?audience=http%3A%2F%2Flocalhost%3A8080").status == 204)
        for query in ["?scope=orders", "?scope=email%20orders", "?scope=mail", "?scope=emai"] {
            let response = try await server.verify(token, backend, query)
            #expect(response.status == 403)
            let wanted = query.dropFirst("?scope=".count).replacing("%20", with: " ")
            #expect(response.challenge == #"Bearer realm="kidoban", error="insufficient_scope", scope="\#(wanted)""#)
            #expect(response.facts.isEmpty)
        }
        let role = try await server.verify(token, backend, "?role=admin")
        #expect(role.status == 403)
        #expect(role.challenge == #"Bearer realm="kidoban", error="insufficient_scope""#)
        let audience = try await server.verify(token, backend, "?audience=orders")
        #expect(audience.status == 401)
        #expect(audience.challenge == #"Bearer realm="kidoban", error="invalid_token""#)
    }

    @Test func `requirements of all places count`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        let field = [("X-Verify-Scope", "orders")]
        #expect(try await server.verify(token, backend, "?scope=email", field).status == 403)
        #expect(try await server.verify(token, backend, "?scope=orders", [("X-Verify-Scope", "email")]).status == 403)
        #expect(
            try await server.verify(token, backend, "", [("X-Verify-Scope", "email"), ("X-Verify-Scope", "orders")]).status == 403
        )
    }

    @Test func `a requirement that is not understood lets nobody in`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        for query in ["?scop=email", "?scope=", "?scope=a&scope=b", "?scope=%zz", "?scope=%22", "?status=302", "?x"] {
            let response = try await server.verify(token, backend, query)
            #expect(response.status == 403, "\(query)")
            #expect(response.challenge == nil)
        }
        for field in [("X-Verify-Scopes", "email"), ("X-Verify-", "1"), ("X-Verify-Scope", ""), ("X-Verify-Status", "500")] {
            #expect(try await server.verify(token, backend, "", [field]).status == 403, "\(field)")
        }
    }

    @Test(arguments: ["/oauth2/verify/", "/oauth2/verify/orders/1"])
    func `a requirement in the query behind a path is not dropped`(_ path: String) async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        func answer(_ query: String, _ fields: [(name: String, value: String)] = []) async throws -> TestHTTPResponse {
            try await server.verify(token, backend, query, path: path, fields)
        }
        for query in [
            "?scope=orders", "?scope=email", "?audience=orders", "?role=admin", "?status=200", "?scope", "?SCOPE=orders",
            "?%73cope=orders", "?a=b&scope=orders", "?a=b?scope=orders", "?a=%zz&role=admin", "?scope=orders/orders/1?a=b",
        ] {
            let response = try await answer(query)
            #expect(response.status == 403, "\(query)")
            #expect(response.challenge == nil && response.facts.isEmpty)
        }
        for query in ["?a=b", "?scoped=orders", "?a=scope", "?a=%zz"] {
            #expect(try await answer(query).status == 204, "\(query)")
        }
        // A gateway that says in fields what it requires has appended the query of the request.
        for field in [("X-Verify-Scope", "email"), ("X-Verify-Status", "204")] {
            #expect(try await answer("?scope=orders&role=admin", [field]).status == 204)
        }
        let lacking = try await answer("?scope=email", [("X-Verify-Scope", "orders")])
        #expect(lacking.status == 403)
        #expect(lacking.challenge == #"Bearer realm="kidoban", error="insufficient_scope", scope="orders""#)
    }

    @Test func `a path that is appended to a requirement in the query makes it another one`() async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        for path in ["/", "/orders/1?a=b", "/%20email", "/&scope=email"] {
            #expect(try await server.verify(token, backend, "?scope=email" + path).status == 403, "\(path)")
        }
    }

    @Test func `who asks has to be a client that may`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let token = try await server.signUp().accessToken
        let gateways = [
            nil, Credentials(id: backend.id, secret: "wrong"), Credentials(id: "nobody", secret: backend.secret),
            Credentials(id: "app", secret: ""), try await installation.addClient("service"),
        ]
        for gateway in gateways {
            for token in [token, nil] {
                let response = try await server.verify(token, gateway)
                #expect(response.status == 403)
                #expect(response.challenge == nil && response.facts.isEmpty)
            }
        }
        let bearer = [("X-Verify-Authorization", "Bearer x")]
        #expect(try await server.verify(token, nil, "", bearer).status == 403)
        #expect(try await server.verify(token, backend, "", [("X-Verify-Authorization", backend.basic)]).status == 403)
    }

    @Test func `a gateway lets in who has a token for its audience`() async throws {
        let installation = try #require(installation)
        let token = try await server.signUp().accessToken
        let orders = try await installation.addClient("orders", "--introspect", "--audience", "orders")
        let all = try await installation.addClient("all", "--introspect", "--audience", "*")
        #expect(try await server.verify(token, orders).challenge == #"Bearer realm="kidoban", error="invalid_token""#)
        #expect(try await server.verify(token, all).status == 204)
    }

    @Test func `an address is percent-encoded`() async throws {
        let backend = try await #require(installation).backend()
        let unique = String(UInt64.random(in: .min ... .max), radix: 36)
        let email = "p%ct+\(unique)@bücher.example"
        let body: JSONValue = ["email": .string(email), "password": .string(Account.password)]
        let account = try await server.post("/auth/register", body)
        let token = try #require(account.json["accessToken"]?.stringValue, "\(account.text)")
        let shown = try #require(try await server.introspect(token, backend).json["username"]?.stringValue)
        let fact = try #require(try await server.verify(token, backend).facts["X-Auth-Email"])
        #expect(PercentEncoding.decode(fact) == shown)
        #expect(fact.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        #expect(fact.contains("%25"))
    }

    @Test(arguments: ["/oauth2/verify", "/oauth2/verify/x"])
    func `whatever comes, no other status goes out`(_ path: String) async throws {
        let backend = try await #require(installation).backend()
        let token = try await server.signUp().accessToken
        let large = TestHTTPRequest(
            "POST", path, [("Authorization", "Bearer \(token)"), ("X-Verify-Authorization", backend.basic)],
            body: Array(repeating: 0x20, count: 2_000_000))
        #expect(try await server.send(large).status == 401)
        #expect(try await server.send("PROPFIND", path, []).status == 401)
    }

    @Test func `an expired token is invalid`() async throws {
        // The records of all end by Redis's own clock; this one by the very command that a revocation sends.
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        #expect(try await server.verify(account.accessToken, backend).status == 204)
        let form = [("client_id", "app"), ("token", account.accessToken)]
        #expect(try await server.form("/oauth2/revoke", form).status == 200)
        #expect(
            try await server.verify(account.accessToken, backend).challenge == #"Bearer realm="kidoban", error="invalid_token""#)
    }
}

@Suite(
    .needsServers,
    .installation { configuration in
        guard let block = try? AddressBlock("127.0.0.0/8"), let client = ClientID("gateway") else { return }
        configuration.backends.verifyFrom = [CallerNetworks.Network(block, client)]
        configuration.backends.verifiesCookies = true
    })
struct VerifyFromNetworkTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `a host of a network is taken for a client, whatever else it says`() async throws {
        let installation = try #require(installation)
        let account = try await server.signUp()
        // The client is not there yet.
        #expect(try await server.verify(account.accessToken, nil).status == 403)
        _ = try await installation.command([
            "client", "add", "gateway", "--id", "gateway", "--introspect", "--audience", "orders",
        ])
        try await eventually { try await server.verify(account.accessToken, nil).status == 401 }
        let all = try await installation.addClient("all", "--introspect", "--audience", "*")
        #expect(try await server.introspect(account.accessToken, all).json["active"] == true)
        // Another loop may believe for a moment longer that the client is not there.
        try await eventually { try await server.verify(account.accessToken, all).status == 401 }
    }
}

@Suite(
    .needsServers,
    .installation { configuration in
        configuration.backends.verifiesCookies = true
    })
struct VerifyCookieTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    @Test func `the session cookie of a browser passes where the settings say so`() async throws {
        let installation = try #require(installation)
        let backend = try await installation.backend()
        let account = try await server.signUp()
        let login = try await server.post(
            "/login", ["email": .string(account.email), "password": .string(Account.password)])
        let cookie = try #require(login.value("Set-Cookie")?.split(separator: ";").first.map(String.init), "\(login.text)")
        let response = try await server.verify(nil, backend, "", [("Cookie", "a=b; \(cookie)")])
        #expect(response.status == 204)
        #expect(response.facts["X-Auth-Subject"] == account.id)
        #expect(response.facts["X-Auth-Email"] == account.email)
        #expect(response.facts["X-Auth-Scope"] == nil)
        #expect(try await server.verify(nil, backend, "?scope=email", [("Cookie", cookie)]).status == 403)
        #expect(try await server.verify(nil, backend, "?audience=orders", [("Cookie", cookie)]).status == 401)
        let both = try await server.verify(account.accessToken, backend, "", [("Cookie", cookie)])
        #expect(both.challenge == #"Bearer realm="kidoban", error="invalid_request""#)
        let orders = try await installation.addClient("orders", "--introspect", "--audience", "orders")
        #expect(try await server.verify(nil, orders, "", [("Cookie", cookie)]).status == 401)
        #expect(try await server.send("POST", "/logout", [("Cookie", cookie), ("Origin", "http://localhost:8080")]).status < 300)
        #expect(
            try await server.verify(nil, backend, "", [("Cookie", cookie)]).challenge
                == #"Bearer realm="kidoban", error="invalid_token""#)
    }
}
