import Crypto
import JOSE
import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers)
struct KeySetTests {
    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `tokens verify with the published keys, which have no private part`(_ algorithm: SignatureAlgorithm) async throws {
        try await Installation { $0.tokens.signingAlgorithm = algorithm }.run { installation in
            let server = try installation.server
            let response = try await server.get("/.well-known/jwks.json")
            #expect(response.status == 200)
            #expect(response.value("Content-Type") == "application/json")
            #expect(response.value("Cache-Control") == "public, max-age=300")
            #expect(response.value("Access-Control-Allow-Origin") == "*")
            let published = try #require(response.json["keys"]?.arrayValue)
            #expect(Set(published.compactMap { $0["alg"]?.stringValue }) == ["ES256", "RS256"] && published.count == 2)
            let signing = published.first { $0["alg"] == .string(algorithm.rawValue) }
            let common: Set = ["kty", "kid", "use", "alg"]
            #expect(signing?.keys == common.union(algorithm == .es256 ? ["crv", "x", "y"] : ["n", "e"]))
            #expect(signing?["use"] == "sig")
            let keys = try JWKSet.parse(response.body)
            let account = try await server.signUp()
            let token = try UnverifiedJWS.parse(account.accessToken)
            #expect(throws: Never.self) { try token.verify(with: keys, allowing: [algorithm]).requireType("at+jwt") }
            #expect(token.header.keyID == signing?["kid"]?.stringValue)
            let changed = account.accessToken.withOtherEnd
            #expect(throws: JOSEError.self) { try UnverifiedJWS.parse(changed).verify(with: keys, allowing: [algorithm]) }
        }
    }

    @Test func `who has the key set already is told so, until it changes`() async throws {
        try await Installation().run { installation in
            let server = try installation.server
            let tag = try #require(try await server.get("/.well-known/jwks.json").value("ETag"))
            #expect(tag.wholeMatch(of: /"[A-Za-z0-9_-]{22}"/) != nil)
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let answer = try await server.send("GET", "/.well-known/jwks.json", [("If-None-Match", known)])
                #expect(answer.status == 304 && answer.body.isEmpty)
                #expect(answer.value("ETag") == tag && answer.value("Cache-Control") == "public, max-age=300")
                #expect(answer.value("Access-Control-Allow-Origin") == "*")
            }
            for other in ["\"other\"", "\(tag.dropLast())x\"", ""] {
                #expect(try await server.send("GET", "/.well-known/jwks.json", [("If-None-Match", other)]).status == 200)
            }
        }
    }

    @Test func `a second copy signs with the same key, and knows the tokens of the first`() async throws {
        try await Installation().run(copies: 2) { installation in
            let (first, second) = (installation.copies[0], installation.copies[1])
            let (one, other) = try await (
                first.http.get("/.well-known/jwks.json"), second.http.get("/.well-known/jwks.json")
            )
            #expect(one.text == other.text)
            let account = try await first.http.signUp()
            #expect(try await second.http.get("/auth/me", bearer: account.accessToken).status == 200)
            #expect(try await second.http.post("/auth/refresh", ["refreshToken": .string(account.refreshToken)]).status == 200)
        }
    }

    @Test func `copies that start at once on an empty database agree`() async throws {
        try await Installation().run(copies: 0) { installation in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await installation.start() } }
                try await group.waitForAll()
            }
            var published: Set<String> = []
            for copy in installation.copies { published.insert(try await copy.http.get("/.well-known/jwks.json").text) }
            #expect(published.count == 1)
        }
    }
}
