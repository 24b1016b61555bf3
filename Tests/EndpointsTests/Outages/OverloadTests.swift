import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers)
struct OverloadTests {
    @Test func `more sign-ins than can be hashed are told to come back, and nobody else notices`() async throws {
        let installation = try Installation { configuration in
            configuration.passwords.threads = 1
            configuration.passwords.queueLimit = 1
            configuration.passwords.memoryKiB = 64 * 1024
            configuration.passwords.iterations = 2
        }
        try await installation.run { installation in
            let server = try installation.server
            let backend = try await installation.backend()
            let account = try await server.signUp()
            let login: JSONValue = ["email": .string(account.email), "password": .string(Account.password)]
            let logins = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
                for _ in 0..<40 { group.addTask { try await server.post("/auth/login", login) } }
                for _ in 0..<100 {
                    #expect(try await server.introspect(account.accessToken, backend).json["active"] == true)
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let refused = logins.filter { $0.status != 200 }
            #expect(logins.contains { $0.status == 200 })
            #expect(!refused.isEmpty)
            for response in refused { expectUnavailable(response) }
            let newcomer: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
            #expect(try await server.post("/auth/register", newcomer).status == 201)
            let metrics = try await installation.copies[0].operations.get("/metrics").text
            #expect(metrics.contains("\nkidoban_sign_ins_total{outcome=\"unavailable\"} \(refused.count)\n"))
        }
    }
}
