import Endpoints
import HTTP
import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct ServedDocumentTests {
    private let http: TestHTTPClient
    private let operations: TestHTTPClient

    init() throws {
        let copy = try #require(Installation.current?.copies.first)
        (http, operations) = (copy.http, copy.operations)
    }

    @Test func `the document is served, to scripts of any site too`() async throws {
        let response = try await http.get("/openapi.json")
        #expect(response.status == 200)
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Access-Control-Allow-Origin") == "*")
        #expect(response.json["openapi"] == "3.1.0")
        #expect(response.json["paths"]?["/openapi.json"] != nil)
        #expect(try await http.get("/openapi.json").body == response.body)
    }

    @Test func `the cookie of the JWTs signs in, and is documented by its name`() async throws {
        try await Installation {
            $0.restAuth.tokens = .jwt
            $0.restAuth.tokenCookies.access = "my-app-auth"
        }.run { installation in
            let document = try await installation.server.get("/openapi.json").json
            #expect(document["components"]?["securitySchemes"]?["restAuthToken"]?["name"] == "my-app-auth")
            let security = document["paths"]?["/rest-auth/user/"]?["get"]?["security"]
            #expect(security == [["restAuthKey": []], ["restAuthSession": []], ["restAuthToken": []]])
        }
        let schemes = try await http.get("/openapi.json").json["components"]?["securitySchemes"]
        #expect(schemes?["restAuthSession"] != nil && schemes?["restAuthToken"] == nil)
    }

    @Test func `every path takes the methods that are documented for it, and no others`() async throws {
        let paths = try await http.get("/openapi.json").json["paths"]?.objectValue?.members ?? []
        #expect(!paths.isEmpty)
        for path in paths {
            let documented = Set(path.value.keys.map { $0.uppercased() }).subtracting(["SERVERS"])
            let server = path.value["servers"] == nil ? http : operations
            let target = path.key.replacing(/\{[a-z_]+\}/, with: "x")
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                let response = try await server.send(method, target)
                #expect((response.status != 405) == documented.contains(method), "\(method) \(path.key): \(response.status)")
                guard response.status == 405 else { continue }
                let allowed = Set((response.value("Allow") ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
                #expect(allowed.subtracting(["HEAD"]) == documented, "\(path.key)")
            }
        }
    }
}

@Suite(.needsServers)
struct SwitchedOffAPITests {
    @Test func `an API that is closed is not there`() async throws {
        try await Installation { $0.apis.open = .only(["app"]) }.run { installation in
            let http = try installation.server
            #expect(try await http.get("/auth/me").status == 401)
            for path in ["/.well-known/jwks.json", "/openapi.json"] {
                let response = try await http.get(path)
                #expect(response.status == 404)
                #expect(response.text == #"{"error":"Not found"}"#)
            }
        }
    }

    @Test func `the OpenID provider names nothing of an API that is closed`() async throws {
        try await Installation { $0.apis.open = .only(["app", "openid"]) }.run { installation in
            let metadata = try await installation.server.get("/.well-known/openid-configuration").json
            for name in [
                "revocation_endpoint", "introspection_endpoint", "registration_endpoint", "end_session_endpoint", "jwks_uri",
            ] {
                #expect(metadata[name] == nil, "\(name)")
            }
            #expect(metadata["frontchannel_logout_supported"] == nil && metadata["backchannel_logout_supported"] == true)
            #expect(metadata["token_endpoint"] == "http://localhost:8080/oauth2/token")
        }
    }

    @Test func `without the app's API, what is nowhere is said in the words of the first API that is open`() async throws {
        try await Installation { $0.apis.open = .only(["oauth"]) }.run { installation in
            let http = try installation.server
            #expect(try await http.get("/.well-known/jwks.json").status == 200)
            let response = try await http.get("/auth/me")
            #expect(response.status == 404)
            #expect(response.json["error"] == "invalid_request")
        }
    }
}
