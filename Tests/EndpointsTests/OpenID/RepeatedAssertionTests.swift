import Crypto
import Identity
import JOSE
import TestSupport
import Testing
import Text

/// Requests with assertions of clients (RFC 7523) that an outage has stopped.
@Suite(.needsServers, .needsOwnPostgres, .timeLimit(.minutes(5)))
struct RepeatedAssertionTests {
    @Test func `an assertion that an outage has kept from leading anywhere is good once more`() async throws {
        let (postgres, key, directory) = (try TestPostgres(), try ProofKey(), try TestDirectory())
        let set = JWKSet([JWK(key: key.key.publicKey, algorithm: .es256, keyID: "one")])
        try TestFile.write(set.rendered, to: "\(directory.path)/keys")
        try await Installation(databaseURL: postgres.connectionString).run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty(
                "--service", "--first-party", "--grant", "jwt_bearer", "--scope", "read", "--auth-method", "private_key_jwt",
                "--jwks", "\(directory.path)/keys")
            let account = try await server.signUp()
            let now = installation.clock.now
            func assertion(of subject: String) throws -> String {
                try key.assertion([
                    ("iss", .string(client.id)), ("sub", .string(subject)), ("aud", "http://localhost:8080"),
                    ("exp", .integer(now.seconds + 60)), ("jti", .string(String(UInt64.random(in: .min ... .max)))),
                ])
            }
            func fields(_ grant: String) throws -> [(String, String)] {
                [
                    ("grant_type", grant), ("assertion", try assertion(of: account.id)),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", try assertion(of: client.id)),
                ]
            }
            // Until each loop knows the client.
            for _ in 0..<60 {
                let refused = try await server.form("/oauth2/token", try fields("client_credentials"))
                #expect(refused.json["error"] == "unauthorized_client", "\(refused.text)")
            }
            let request = try fields(GrantType.jwtBearer.rawValue)
            postgres.stop(.fast)
            #expect(try await server.form("/oauth2/token", request).status == 503)
            try postgres.start()
            let copy = installation.copies[0]
            try await eventually { try await copy.operations.get("/health/ready").status == 200 }
            var answer = try await server.form("/oauth2/token", request)
            try await eventually {
                if answer.status == 503 { answer = try await server.form("/oauth2/token", request) }
                return answer.status != 503
            }
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await server.form("/oauth2/token", request).status == 401)
        }
    }

    @Test(.needsOwnRedis) func `that holds wherever a client proves itself by one, and for the request alone that has failed`()
        async throws
    {
        let (redis, key, directory) = (try TestRedis(), try ProofKey(), try TestDirectory())
        let set = JWKSet([JWK(key: key.key.publicKey, algorithm: .es256, keyID: "one")])
        try TestFile.write(set.rendered, to: "\(directory.path)/keys")
        try await Installation(redisURL: redis.url).run { installation in
            let server = try installation.server
            let client = try await installation.relyingParty(
                "--first-party", "--introspect", "--grant", "authorization_code", "--grant", "device_code", "--auth-method",
                "private_key_jwt", "--jwks", "\(directory.path)/keys")
            let (account, other, now) = (try await server.signUp(), try await server.signUp(), installation.clock.now)
            func proved(_ fields: [(String, String)]) throws -> [(String, String)] {
                let assertion = try key.assertion([
                    ("iss", .string(client.id)), ("sub", .string(client.id)), ("aud", "http://localhost:8080"),
                    ("exp", .integer(now.seconds + 60)), ("jti", .string(String(UInt64.random(in: .min ... .max)))),
                ])
                return fields + [
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", assertion),
                ]
            }
            let token = [("token", other.accessToken)]
            let requests: [(path: String, fields: [(String, String)], status: Int)] = [
                ("/oauth2/introspect", try proved(token), 200), ("/oauth2/introspect/batch", try proved(token), 200),
                // It is another client's token.
                ("/oauth2/revoke", try proved(token), 400),
                ("/oauth2/par", try proved(client.parameters()), 201),
                ("/oauth2/device_authorization", try proved([("scope", "openid")]), 200),
                (
                    "/oauth2/authorize-challenge",
                    try proved([
                        ("scope", "openid"), ("code_challenge", RelyingParty.challenge), ("code_challenge_method", "S256"),
                    ]), 403
                ),
            ]
            let spent = try proved([("token", account.accessToken)])
            #expect(try await server.form("/oauth2/introspect", spent).status == 200)
            // Redis notes assertions and counts, and refuses all else.
            try redis.command("ACL SETUSER default resetkeys ~used:* ~limit:*")
            for request in requests {
                let failed = try await server.form(request.path, request.fields)
                #expect(failed.status >= 500, "\(request.path) \(failed.text)")
            }
            #expect(try await server.form("/oauth2/introspect", spent).status == 401)
            try redis.command("ACL SETUSER default allkeys")
            for request in requests {
                var answer = try await server.form(request.path, request.fields)
                try await eventually {
                    if answer.status >= 500 { answer = try await server.form(request.path, request.fields) }
                    return answer.status < 500
                }
                #expect(answer.status == request.status, "\(request.path) \(answer.text)")
                #expect(try await server.form(request.path, request.fields).status == 401)
            }
            #expect(try await server.form("/oauth2/introspect", spent).status == 401)
        }
    }
}
