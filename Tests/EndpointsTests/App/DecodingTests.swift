import FoundationEssentials
import TestSupport
import Testing
import Text

/// What an iOS app decodes its answers into.
@Suite(.needsServers, .installation { TestProvider.configure(&$0) })
struct DecodingTests {
    struct User: Decodable {
        enum CodingKeys: String, CodingKey {
            case id, email
            case oauthProvider = "oauth_provider"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }

        let id: String
        let email: String
        let oauthProvider: String?
        let createdAt: Date
        let updatedAt: Date
    }

    struct AuthResponse: Decodable {
        let token: String
        let accessToken: String
        let refreshToken: String
        let user: User
    }

    struct RefreshResponse: Decodable {
        let accessToken: String
    }

    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func decode<Value: Decodable>(_ response: TestHTTPResponse, _ type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        return try decoder.decode(type, from: Data(response.body))
    }

    @Test func `every answer decodes`() async throws {
        let email = Account.newEmail()
        let body: JSONValue = ["email": .string(email), "password": .string(Account.password), "name": "Kyōko"]
        let registered = try decode(await server.post("/auth/register", body), AuthResponse.self)
        #expect(registered.token == registered.accessToken)
        #expect(registered.user.email == email)
        #expect(registered.user.oauthProvider == nil)
        #expect(registered.user.createdAt == registered.user.updatedAt)
        #expect(abs(registered.user.createdAt.timeIntervalSince1970 - 1_767_323_045.678) < 0.001)
        let login = try decode(await server.post("/auth/login", body), AuthResponse.self)
        #expect(login.user.id == registered.user.id)
        #expect(login.user.createdAt == registered.user.createdAt)
        let refreshed = try decode(
            await server.post("/auth/refresh", ["refreshToken": .string(login.refreshToken)]), RefreshResponse.self)
        let me = try decode(await server.get("/auth/me", bearer: refreshed.accessToken), User.self)
        #expect(me.id == registered.user.id)
        let person = Person()
        for _ in 0..<2 {
            let signedIn = try decode(await server.signIn("google", TestProvider.google(person)), AuthResponse.self)
            #expect(signedIn.user.oauthProvider == "google")
            #expect(signedIn.user.email == person.email)
        }
        let changed = try await server.patch("/auth/me", ["settings": ["theme": "light"]], bearer: login.accessToken)
        #expect(try decode(changed, User.self).email == email)
    }
}
