import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers)
struct PrefixTests {
    @Test func `all of it can be mounted under a prefix`() async throws {
        let installation = try Installation {
            $0.apis[prefixOf: "app"] = "/api/v1"
            $0.apis.open = .only(["app", "oauth"])
        }
        try await installation.run { installation in
            let server = try installation.server
            let body: JSONValue = ["email": .string(Account.newEmail()), "password": .string(Account.password)]
            let account = try Account(await server.post("/api/v1/auth/register", body))
            #expect(try await server.get("/api/v1/auth/me", bearer: account.accessToken).status == 200)
            #expect(try await server.get("/auth/me", bearer: account.accessToken).text == #"{"error":"Not found"}"#)
            #expect(try await server.get("/api/v1/nothing").text == #"{"error":"Not found"}"#)
            #expect(try await server.get("/.well-known/jwks.json").status == 200)
        }
    }
}
