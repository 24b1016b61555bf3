import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct HealthTests {
    let installation = Installation.current

    @Test func `a server that can serve is live and ready`() async throws {
        let copy = try #require(installation?.copies.first)
        let live = try await copy.operations.get("/health/live")
        #expect(live.status == 200)
        #expect(live.text == #"{"status":"live"}"#)
        let ready = try await copy.operations.get("/health/ready")
        #expect(ready.status == 200)
        #expect(ready.text == #"{"status":"ready","postgres":"ok","redis":"ok","signing_keys":"ok"}"#)
        for response in [live, ready] {
            #expect(response.value("Content-Type") == "application/json")
            #expect(response.value("Cache-Control") == "no-store")
        }
    }

    @Test func `operations and applications have nothing in common`() async throws {
        let copy = try #require(installation?.copies.first)
        for path in ["/auth/me", "/oauth2/introspect", "/.well-known/jwks.json", "/"] {
            let response = try await copy.operations.get(path)
            #expect(response.status == 404)
            #expect(response.value("Content-Type") == "text/plain; charset=utf-8")
        }
        for path in ["/health/live", "/health/ready", "/metrics"] {
            #expect(try await copy.http.get(path).status == 404)
            let post = try await copy.operations.send("POST", path)
            #expect(post.status == 405)
            #expect(post.value("Allow") == "GET, HEAD")
        }
    }

    @Test func `a server without its keys is not ready, and says when to come back`() async throws {
        let installation = try #require(installation)
        let copy = try await installation.launch()
        let ready = try await copy.operations.get("/health/ready")
        #expect(ready.status == 503)
        #expect(ready.value("Retry-After") == "1")
        #expect(ready.json["status"] == "unavailable")
        #expect(ready.json["signing_keys"] == "unavailable")
        let keys = try await copy.http.get("/.well-known/jwks.json")
        #expect(keys.status == 503)
        #expect(keys.json["error"] == "temporarily_unavailable")
        #expect(keys.value("Retry-After") == "1")
        let email = Account.newEmail()
        let body: JSONValue = ["email": .string(email), "password": .string(Account.password)]
        let register = try await copy.http.post("/auth/register", body)
        #expect(register.status == 503)
        #expect(register.text == #"{"error":"Service unavailable"}"#)
        #expect(register.value("Retry-After") == "1")
        try await copy.application.prepare()
        #expect(try await copy.operations.get("/health/ready").status == 200)
        // Whoever was told to come back can: nothing was begun.
        #expect(try await copy.http.post("/auth/register", body).status == 201)
    }
}
