import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct UpdateMeTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }

    private func change(_ account: Account, _ body: JSONValue) async throws -> TestHTTPResponse {
        try await server.patch("/auth/me", body, bearer: account.accessToken)
    }

    @Test func `name, photo and settings can be changed, each by itself`() async throws {
        let account = try await server.signUp()
        let renamed = try await change(account, ["name": " Kyōko "])
        #expect(renamed.status == 200)
        #expect(renamed.json["name"] == "Kyōko")
        #expect(renamed.json["settings"]?["theme"] == "dark")
        let pictured = try await change(account, ["photo_url": "https://img.example.com/k.png?s=1"])
        #expect(pictured.json["photo_url"] == "https://img.example.com/k.png?s=1")
        let lit = try await change(account, ["settings": ["theme": "light"]])
        #expect(lit.json["settings"] == ["biometric_enabled": false, "auto_backup": false, "theme": "light"])
        let set = try await change(account, ["settings": ["biometric_enabled": true, "auto_backup": true]])
        #expect(set.json["settings"] == ["biometric_enabled": true, "auto_backup": true, "theme": "light"])
        let me = try await server.get("/auth/me", bearer: account.accessToken)
        #expect(me.json == set.json)
        #expect(
            me.keys == ["id", "email", "name", "photo_url", "email_verified", "settings", "created_at", "updated_at"])
        #expect(try await server.signIn(account).id == account.id)
    }

    @Test(arguments: ["null", #""""#, #"" ""#])
    func `a name and a photo can be removed`(_ nothing: String) async throws {
        let account = try await server.signUp()
        _ = try await change(account, ["name": "Kyōko", "photo_url": "https://img.example.com/k.png"])
        let photo = nothing == "null" ? "null" : #""""#
        let request = TestHTTPRequest.json(
            "PATCH", "/auth/me", Array(#"{"name":\#(nothing),"photo_url":\#(photo)}"#.utf8), bearer: account.accessToken)
        let response = try await server.send(request)
        #expect(response.status == 200)
        #expect(response.keys == ["id", "email", "email_verified", "settings", "created_at", "updated_at"])
    }

    @Test func `what a user cannot decide is ignored`() async throws {
        let account = try await server.signUp()
        let response = try await change(
            account,
            [
                "id": "00000000-0000-7000-8000-000000000000", "email": "other@example.com", "email_verified": true,
                "is_admin": true, "created_at": "1970-01-01T00:00:00.000Z", "password_hash": "x", "password": "another one",
                "disabled_at": nil, "claims": ["role": "admin"], "settings": ["theme": "light", "verified": true],
            ])
        #expect(response.status == 200)
        #expect(response.json["id"] == .string(account.id))
        #expect(response.json["email"] == .string(account.email))
        #expect(response.json["email_verified"] == false)
        #expect(response.json["created_at"] == "2026-01-02T03:04:05.678Z")
        #expect(response.json["settings"]?.keys == ["biometric_enabled", "auto_backup", "theme"])
        let rows = try TestDatabase.rows(
            "SELECT claims::text, email_verified FROM users WHERE id = '\(account.id)'", on: #require(installation).databaseURL)
        #expect(rows == [["{}", "f"]])
        #expect(try await server.signIn(account).id == account.id)
    }

    @Test(arguments: [
        (#"{"name":5}"#, RegisterRefusalTests.wrongType("name", received: "number")),
        (#"{"name":"a\u0007"}"#, RegisterRefusalTests.custom("name", "Contains a character that is not allowed")),
        (#"{"name":"\#(String(repeating: "n", count: 201))"}"#, RegisterRefusalTests.tooBig("name", 200)),
        (
            #"{"photo_url":"http://img.example.com/k.png"}"#,
            #"{"code":"invalid_string","validation":"url","path":["photo_url"],"message":"Invalid url"}"#
        ),
        (#"{"photo_url":["https://img.example.com"]}"#, RegisterRefusalTests.wrongType("photo_url", received: "array")),
        (#"{"settings":null}"#, RegisterRefusalTests.wrongType("settings", expected: "object", received: "null")),
        (
            #"{"settings":{"theme":"blue"}}"#,
            #"{"code":"invalid_enum_value","options":["dark","light"],"path":["settings","theme"],"#
                + #""message":"Invalid enum value. Expected 'dark' | 'light'"}"#
        ),
        (
            #"{"settings":{"auto_backup":"yes"}}"#,
            #"{"code":"invalid_type","expected":"boolean","received":"string","path":["settings","auto_backup"],"#
                + #""message":"Expected boolean, received string"}"#
        ),
    ])
    func `what is wrong is said, and nothing changes`(_ body: String, _ item: String) async throws {
        let account = try await server.signUp()
        let before = try await server.get("/auth/me", bearer: account.accessToken)
        let response = try await server.send(
            .json("PATCH", "/auth/me", Array(body.utf8), bearer: account.accessToken))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"Invalid input","details":[\#(item)]}"#)
        #expect(try await server.get("/auth/me", bearer: account.accessToken).text == before.text)
    }

    @Test func `nobody changes anything without a token`() async throws {
        let response = try await server.patch("/auth/me", ["name": "x"], bearer: nil)
        #expect(response.status == 401)
        #expect(response.text == MeTests.unauthorized)
    }
}
