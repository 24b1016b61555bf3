import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct RevocationTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func revoke(_ token: String, _ extra: (String, String)...) async throws -> TestHTTPResponse {
        try await server.form("/oauth2/revoke", [("client_id", "app"), ("token", token)] + extra)
    }

    private func status(_ accessToken: String) async throws -> Int {
        try await server.get("/auth/me", bearer: accessToken).status
    }

    private func refreshStatus(_ refreshToken: String) async throws -> Int {
        try await server.post("/auth/refresh", ["refreshToken": .string(refreshToken)]).status
    }

    @Test func `an access token is revoked by itself`() async throws {
        let account = try await server.signUp()
        let second = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
        let response = try await revoke(account.accessToken)
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.value("Cache-Control") == "no-store")
        #expect(try await status(account.accessToken) == 401)
        #expect(try await status(try #require(second.json["accessToken"]?.stringValue)) == 200)
        #expect(try await refreshStatus(account.refreshToken) == 200)
    }

    @Test func `scripts of any page may revoke, and read the answer`() async throws {
        let (page, account) = ([(name: "Origin", value: "https://spa.example")], try await server.signUp())
        let asked = try await server.send(
            "OPTIONS", "/oauth2/revoke", page + [(name: "Access-Control-Request-Method", value: "POST")])
        #expect(asked.status == 204)
        #expect(asked.value("Access-Control-Allow-Methods") == "POST")
        #expect(asked.value("Access-Control-Allow-Headers") == "Content-Type")
        let answers = try await [
            asked, revoke(account.accessToken), revoke(""), revoke("x", ("client_secret", "wrong")),
            server.send("GET", "/oauth2/revoke", page), server.send(.json("POST", "/oauth2/revoke", Array("{}".utf8))),
        ]
        #expect(answers.map(\.status) == [204, 200, 400, 401, 405, 415])
        for answer in answers {
            #expect(answer.value("Access-Control-Allow-Origin") == "*")
            #expect(answer.value("Access-Control-Allow-Credentials") == nil)
        }
        let backend = try await #require(installation).backend()
        #expect(try await server.introspect("x", backend).value("Access-Control-Allow-Origin") == nil)
    }

    @Test func `a refresh token is revoked with its session, and no other`() async throws {
        let account = try await server.signUp()
        let other = try await server.signIn(account)
        let second = try await server.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)])
        #expect(try await revoke(account.refreshToken).status == 200)
        #expect(try await status(account.accessToken) == 401)
        #expect(try await status(try #require(second.json["accessToken"]?.stringValue)) == 401)
        #expect(try await refreshStatus(account.refreshToken) == 401)
        #expect(try await status(other.accessToken) == 200)
        #expect(try await refreshStatus(other.refreshToken) == 200)
    }

    @Test(arguments: ["access_token", "refresh_token", "nonsense"])
    func `the hint does not matter`(_ hint: String) async throws {
        let account = try await server.signUp()
        #expect(try await revoke(account.accessToken, ("token_type_hint", hint)).status == 200)
        #expect(try await status(account.accessToken) == 401)
        #expect(try await revoke(account.refreshToken, ("token_type_hint", hint)).status == 200)
        #expect(try await refreshStatus(account.refreshToken) == 401)
    }

    @Test(arguments: ["x", "kdr_x", "\r\nFLUSHALL\r\n", "a.b.c"])
    func `what is no token is revoked already`(_ token: String) async throws {
        let account = try await server.signUp()
        #expect(try await revoke(token).status == 200)
        #expect(try await revoke(account.refreshToken.withOtherEnd).status == 200)
        #expect(try await refreshStatus(account.refreshToken) == 200)
        for _ in 0..<2 { #expect(try await revoke(account.refreshToken).status == 200) }
    }

    @Test func `the token of another client is refused, and stays`() async throws {
        let backend = try await #require(installation).backend()
        let account = try await server.signUp()
        for token in [account.accessToken, account.refreshToken] {
            let response = try await server.form("/oauth2/revoke", [("token", token)], backend)
            #expect(response.status == 400)
            #expect(response.json["error"] == "invalid_grant")
        }
        #expect(try await status(account.accessToken) == 200)
        #expect(try await refreshStatus(account.refreshToken) == 200)
        #expect(try await server.form("/oauth2/revoke", [("token", "x")], backend).status == 200)
    }

    @Test func `whoever is no client revokes nothing`() async throws {
        let backend = try await #require(installation).addClient()
        let account = try await server.signUp()
        let token = [("token", account.accessToken)]
        for attempt in [
            TestHTTPRequest.form("/oauth2/revoke", token),
            .form("/oauth2/revoke", token + [("client_id", "nobody")]),
            .form("/oauth2/revoke", token + [("client_id", backend.id)]),
            .form("/oauth2/revoke", token + [("client_id", "app"), ("client_secret", "x")]),
            .form("/oauth2/revoke", token, Credentials(id: backend.id, secret: "wrong")),
            .form("/oauth2/revoke", token, Credentials(id: "app", secret: "x")),
        ] {
            let response = try await server.send(attempt)
            #expect(response.status == 401)
            #expect(response.json["error"] == "invalid_client")
            #expect(response.value("WWW-Authenticate") == #"Basic realm="kidoban""#)
        }
        #expect(try await status(account.accessToken) == 200)
    }

    @Test func `a form that is not right is refused`() async throws {
        for body in ["client_id=app", "client_id=app&token=", "client_id=app&token=a&token=b", "client_id=app&token=%"] {
            var request = TestHTTPRequest.form("/oauth2/revoke", [])
            request.body = Array(body.utf8)
            let response = try await server.send(request)
            #expect(response.status == 400)
            #expect(response.json["error"] == "invalid_request")
        }
        let account = try await server.signUp()
        let query = try await server.form("/oauth2/revoke?token=\(account.accessToken)", [("client_id", "app"), ("token", "x")])
        #expect(query.status == 400)
        #expect(try await server.post("/oauth2/revoke", ["client_id": "app", "token": "x"]).status == 415)
        let get = try await server.get("/oauth2/revoke")
        #expect(get.status == 405)
        #expect(get.value("Allow") == "OPTIONS, POST")
        #expect(try await status(account.accessToken) == 200)
    }
}
