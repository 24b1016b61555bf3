import Identity
import TestSupport
import Testing
import Text

/// Providers that administrators write where the server is no emulator.
@Suite(.needsServers, .installation(ToolkitClient.configure))
struct ToolkitProviderConfigurationTests {
    private static let collections = ["oauthIdpConfigs oauthIdpConfigId oidc", "inboundSamlConfigs inboundSamlConfigId saml"]
    private static let body: JSONValue = [
        "displayName": "Before", "clientId": "c", "issuer": "https://oidc.example.com", "clientSecret": "not to be read",
        "responseType": ["idToken": true], "idpConfig": ["idpEntityId": "not to be read"], "spConfig": ["spEntityId": "s"],
    ]

    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    /// One of the two collections, with the name of one that nobody has written.
    private struct Collection {
        let path: String
        let parameter: String
        let name: String

        init(_ words: String) {
            let words = words.split(separator: " ").map(String.init)
            path = "/identitytoolkit.googleapis.com/v2/projects/\(ToolkitClient.project)/\(words[0])"
            parameter = words[1]
            name = "\(words[2]).t\(String(UInt64.random(in: .min ... .max), radix: 36))"
        }

        var one: String { "\(path)/\(name)" }
        var new: String { "\(path)?\(parameter)=\(name)" }
    }

    /// The access token of a client with that scope.
    private func administrator(
        _ scope: String = "https://www.googleapis.com/auth/identitytoolkit", of installation: Installation? = nil
    ) async throws -> String {
        let installation = try #require(installation ?? self.installation)
        let client = try await installation.addClient("admin", "--scope", scope)
        let answer = try await installation.server.form("/oauth2/token", [("grant_type", "client_credentials")], client)
        return try #require(answer.json["access_token"]?.stringValue, "\(answer.text)")
    }

    @Test(arguments: collections)
    func `what an administrator writes is kept sealed, is on record, and is gone once it is deleted`(_ words: String) async throws
    {
        let (server, installation, collection) = (try server, try #require(installation), Collection(words))
        let admin = try await administrator()
        let made = try await server.post(collection.new, Self.body, bearer: admin)
        #expect(made.status == 200 && made.json["enabled"] == false, "\(made.text)")
        #expect(try await server.post(collection.new, Self.body, bearer: admin).failure == "CONFIGURATION_EXISTS")
        #expect(try await server.get(collection.one, bearer: admin).json == made.json)
        let changed = try await server.patch(
            "\(collection.one)?updateMask=enabled,displayName", ["enabled": true, "displayName": "After"], bearer: admin)
        #expect(changed.json["enabled"] == true && changed.json["displayName"] == "After", "\(changed.text)")
        let rows = try TestDatabase.rows(
            "SELECT encode(sealed_configuration, 'escape') FROM project_providers WHERE name = '\(collection.name)'",
            on: installation.databaseURL)
        #expect(rows.count == 1 && rows.first?.first?.contains("not to be read") == false)
        #expect(try await server.delete(collection.one, bearer: admin).status == 200)
        #expect(try await server.delete(collection.one, bearer: admin).failure == "CONFIGURATION_NOT_FOUND")
        let kinds = ["project_provider_added", "project_provider_changed", "project_provider_removed"]
        try await eventually {
            try TestDatabase.rows(
                "SELECT kind FROM audit_events WHERE detail->>'provider' = '\(collection.name)' ORDER BY kind",
                on: installation.databaseURL) == kinds.map { [$0] }
        }
    }

    @Test(arguments: collections) func `nobody else writes or reads one`(_ words: String) async throws {
        let (server, collection) = (try server, Collection(words))
        let user = try await ToolkitClient(http: server).signUp()
        let admin = try await administrator()
        _ = try await server.post(collection.new, Self.body, bearer: admin)
        for bearer in [nil, "owner", user.idToken, try await administrator("read")] {
            let key = "key=\(ToolkitClient.key)"
            #expect(try await server.get("\(collection.path)?\(key)", bearer: bearer).status == 401)
            #expect(try await server.get("\(collection.one)?\(key)", bearer: bearer).status == 401)
            #expect(try await server.send(.json("POST", "\(collection.new)x&\(key)", [], bearer: bearer)).status == 401)
            #expect(try await server.patch("\(collection.one)?\(key)", ["enabled": true], bearer: bearer).status == 401)
            #expect(try await server.delete("\(collection.one)?\(key)", bearer: bearer).status == 401)
        }
        #expect(try await server.get(collection.one, bearer: admin).json["enabled"] == false)
    }

    @Test(arguments: collections) func `one that is of no use is refused, new or changed`(_ words: String) async throws {
        let (server, collection) = (try server, Collection(words))
        let admin = try await administrator()
        let isOpenID = collection.name.hasPrefix("oidc.")
        let (needed, code) = isOpenID ? ("issuer", "MISSING_ISSUER") : ("spConfig", "MISSING_SAML_RELYING_PARTY_CONFIG")
        func changing(_ name: String, _ value: JSONValue) -> JSONValue {
            var object = Self.body.objectValue ?? JSONObject()
            object[name] = value
            return .object(object)
        }
        #expect(try await server.post(collection.new, changing(needed, .null), bearer: admin).failure == code)
        let wrong: [(String, JSONValue)] = [("enabled", "yes"), ("displayName", ["x"]), (needed, 5)]
        for (name, value) in wrong {
            let refused = try await server.post(collection.new, changing(name, value), bearer: admin)
            #expect(refused.status == 400 && refused.failure == "Invalid value at '\(name)'.", "\(refused.text)")
        }
        let large = JSONValue.string(String(repeating: "x", count: ProjectProviders.byteLimit))
        #expect(try await server.post(collection.new, changing("displayName", large), bearer: admin).failure == "INVALID_CONFIG")
        #expect(try await server.get(collection.one, bearer: admin).failure == "CONFIGURATION_NOT_FOUND")
        let made = try await server.post(collection.new, Self.body, bearer: admin)
        let emptied = JSONValue.object(JSONObject([JSONObject.Member(key: needed, value: .null)]))
        #expect(try await server.patch(collection.one, emptied, bearer: admin).failure == code)
        #expect(
            try await server.patch("\(collection.one)?updateMask=enabled.x", ["enabled": ["x": 1]], bearer: admin).status == 400)
        #expect(try await server.patch(collection.one, ["displayName": large], bearer: admin).failure == "INVALID_CONFIG")
        #expect(try await server.get(collection.one, bearer: admin).json == made.json)
    }

    @Test func `changes at once are both made, and pages are in the order of the names`() async throws {
        let (server, collection) = (try server, Collection(Self.collections[0]))
        let admin = try await administrator()
        for suffix in ["", "a", "b"] { _ = try await server.post(collection.new + suffix, Self.body, bearer: admin) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                let path = "\(collection.one)?updateMask=responseType.n\(number)"
                let change: JSONValue = .object(JSONObject([.init(key: "n\(number)", value: true)]))
                group.addTask { try await server.patch(path, ["responseType": change], bearer: admin).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 })
        let found = try await server.get(collection.one, bearer: admin).json["responseType"]?.objectValue?.members.map(\.key)
        #expect(found?.sorted() == ["idToken"] + (0..<8).map { "n\($0)" })
        var names: [String] = []
        var token: String?
        repeat {
            let page = try await server.get(
                "\(collection.path)?pageSize=1\(token.map { "&pageToken=\($0)" } ?? "")", bearer: admin
            ).json
            names += (page["oauthIdpConfigs"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            token = page["nextPageToken"]?.stringValue
        } while token != nil
        #expect(names == names.sorted() && Set(names).count == names.count)
        #expect(names.count { $0.contains(collection.name) } == 3)
    }

    @Test func `there are never too many, however many come at once`() async throws {
        try await Installation(ToolkitClient.configure).run { installation in
            let server = try installation.server
            let admin = try await administrator(of: installation)
            try TestDatabase.run(
                """
                INSERT INTO project_providers (name, sealed_configuration, updated_at)
                SELECT 'saml.a' || n, '\\x00', now() FROM generate_series(1, \(ProjectProviders.limit - 1)) AS n
                """, on: installation.databaseURL)
            let answers = try await withThrowingTaskGroup(of: TestHTTPResponse.self) { group in
                for _ in 0..<10 {
                    group.addTask { try await server.post(Collection(Self.collections[0]).new, Self.body, bearer: admin) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.filter { $0.status != 200 }.allSatisfy { $0.failure == "QUOTA_EXCEEDED" })
            // What no key opens is not told, makes no page shorter, and is deleted as others are.
            let saml = Collection(Self.collections[1])
            #expect(try await server.get(saml.path, bearer: admin).json == .object(JSONObject()))
            #expect(try await server.delete("\(saml.path)/saml.a1", bearer: admin).status == 200)
            let made = try await server.post(saml.new, Self.body, bearer: admin)
            let page = try await server.get("\(saml.path)?pageSize=1", bearer: admin)
            #expect(page.json["inboundSamlConfigs"] == [made.json] && page.json["nextPageToken"] == nil, "\(page.text)")
        }
    }

    @Test(arguments: collections) func `nobody signs in by one`(_ words: String) async throws {
        let (server, collection) = (try server, Collection(words))
        let made = try await server.post(collection.new, Self.body, bearer: try await administrator())
        #expect(made.status == 200)
        let answer = try await ToolkitClient(http: server).call(
            "signInWithIdp",
            ["requestUri": "http://localhost", "postBody": .string("providerId=\(collection.name)&id_token=a.b.c&nonce=x")])
        let code = collection.name.hasPrefix("oidc.") ? "OPERATION_NOT_ALLOWED : " : "INVALID_CREDENTIAL_OR_PROVIDER_ID : "
        #expect(answer.status == 400 && answer.failure?.hasPrefix(code) == true, "\(answer.text)")
    }
}
