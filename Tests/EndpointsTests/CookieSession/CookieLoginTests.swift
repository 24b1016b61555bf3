import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers, .installation())
struct CookieLoginTests {
    let installation = Installation.current
    var server: TestHTTPClient { get throws { try #require(installation).server } }
    var client: CookieClient { get throws { CookieClient(try server) } }

    @Test func `the reference client signs in, and gets a body that is not empty`() async throws {
        let (account, client) = (try await server.signUp(), try client)
        let response = try await client.logIn(account.email)
        let now = try #require(installation).clock.now.seconds
        #expect(response.status == 200)
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Cache-Control") == "no-store")
        #expect(response.keys == ["status", "user", "session"])
        #expect(response.json["status"] == "ok")
        #expect(response.json["user"] == ["id": .string(account.id), "email": .string(account.email), "email_verified": false])
        #expect(response.json["session"] == ["expires_at": .integer(now + 43_200), "idle_expires_at": .integer(now + 1800)])
        #expect(try await client.touch().status == 200)
    }

    @Test func `without remember the cookie ends with the app`() async throws {
        let account = try await server.signUp()
        for remember in [nil, false] {
            let cookie = try ReceivedCookie(await client.logIn(account.email, remember: remember))
            #expect(cookie.name == "sid")
            #expect(cookie.value.hasPrefix("kdc_"))
            #expect(cookie.value.utf8.allSatisfy { ($0 | 0x20) >= 0x61 || "0123456789-_.".utf8.contains($0) })
            #expect(cookie.attributes == ["path": "/", "httponly": "", "samesite": "Lax"])
        }
    }

    @Test func `with remember it lasts as long as the session can`() async throws {
        let account = try await server.signUp()
        let now = try #require(installation).clock.now
        let response = try await client.logIn(account.email, remember: true)
        let cookie = try ReceivedCookie(response)
        let end = now.adding(.seconds(90 * 86_400))
        let attributes = [
            "path": "/", "httponly": "", "samesite": "Lax", "max-age": "\(90 * 86_400)", "expires": end.httpDate,
        ]
        #expect(cookie.attributes == attributes)
        #expect(response.json["session"]?["expires_at"] == .integer(end.seconds))
        #expect(response.json["session"]?["idle_expires_at"] == .integer(now.seconds + 14 * 86_400))
    }

    @Test(arguments: ["a+b c%d&e=f;ü🙂", "  spaces  ", "+", "%2B", "pass word+1"])
    func `a password arrives as it was typed`(_ password: String) async throws {
        let (email, long) = (Account.newEmail(), password + " and long enough")
        let signUp = try await server.post("/auth/register", ["email": .string(email), "password": .string(long)])
        #expect(signUp.status == 201, "\(signUp.text)")
        #expect(try await client.logIn(email, long).status == 200)
        #expect(try await client.logIn(email, long.replacing("+", with: " ") + "x").status == 401)
    }

    @Test(arguments: ["", "1", "true", "0", "false", "null", #""1""#, #""True""#, #""0""#, #""""#])
    func `JSON does as well`(_ remember: String) async throws {
        let account = try await server.signUp()
        let field = remember.isEmpty ? "" : #","remember":\#(remember)"#
        let body = #"{"email":"\#(account.email)","password":"\#(Account.password)"\#(field)}"#
        let response = try await client.send("POST", "/login", [("Content-Type", "application/json")], body: body)
        #expect(response.status == 200)
        let isRemembered = ["1", "true", #""1""#, #""True""#].contains(remember)
        #expect(try ReceivedCookie(response).attributes.keys.contains("max-age") == isRemembered)
    }

    @Test(arguments: [
        ("1", true), ("true", true), ("True", true), ("on", true), ("yes", true), ("0", false), ("False", false), ("off", false),
        ("no", false), ("", false),
    ])
    func `that a user wants to be remembered may be written in many ways`(_ text: String, _ isRemembered: Bool) async throws {
        let account = try await server.signUp()
        let body = CookieClient.form([("email", account.email), ("password", Account.password), ("remember", text)])
        let response = try await client.send("POST", "/login", [CookieClient.formType], body: body)
        #expect(response.status == 200, "\(response.text)")
        #expect(try ReceivedCookie(response).attributes.keys.contains("max-age") == isRemembered)
    }

    @Test(arguments: ["tags%5B%5D=a&tags%5B%5D=b", "tags[]=a&tags[]=b", "device%5Bname%5D=x&device%5Bos%5D=y", "a=1&b=0"])
    func `what else Alamofire puts into a form is passed over`(_ more: String) async throws {
        let account = try await server.signUp()
        let body = CookieClient.form([("email", account.email), ("password", Account.password)]) + "&" + more
        #expect(try await client.send("POST", "/login", [CookieClient.formType], body: body).status == 200)
    }

    @Test func `a slash at the end of the path makes no difference, and nothing redirects`() async throws {
        let (account, client) = (try await server.signUp(), try client)
        let body = CookieClient.form([("email", account.email), ("password", Account.password)])
        #expect(try await client.send("POST", "/login/", [CookieClient.formType], body: body).status == 200)
        for path in ["/touch/", "/session/", "/sessions/"] { #expect(try await client.send("GET", path).status == 200) }
        #expect(try await client.send("DELETE", "/session/").status == 405)
        #expect(try await client.send("POST", "/logout/").status == 200)
        expectSignedOut(try await client.send("GET", "/touch/"), "unauthenticated")
    }

    @Test func `nobody can tell why a sign-in failed`() async throws {
        let (known, disabled) = try await (server.signUp(), server.signUp())
        let databaseURL = try #require(installation).databaseURL
        try TestDatabase.run("UPDATE users SET disabled_at = now() WHERE email = '\(disabled.email)'", on: databaseURL)
        let wrong = try await client.logIn(known.email, "wrong password")
        #expect(wrong.status == 401)
        #expect(wrong.text == #"{"error":"invalid_credentials"}"#)
        #expect(wrong.value("WWW-Authenticate") == #"Session realm="kidoban""#)
        #expect(wrong.value("Set-Cookie") == nil)
        for email in [Account.newEmail(), disabled.email, "no address", ""] {
            #expect(try await client.logIn(email).constantPart == wrong.constantPart)
        }
    }

    @Test(arguments: [
        "", "email=a%40example.com", "password=x", "email=a&email=b&password=x", "email=%zz&password=x",
        "email=a&password=x&remember=maybe",
        "email=a&password=x&remember=2", "=", "email=a b&password=x",
    ])
    func `a form that lacks something or is malformed is refused`(_ body: String) async throws {
        let response = try await client.send("POST", "/login", [CookieClient.formType], body: body)
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"invalid_request"}"#)
    }

    @Test(arguments: ["{", "[]", "null", "{}", #"{"email":1,"password":"x"}"#, #"{"email":"a","password":"x","remember":"2"}"#])
    func `so is such JSON`(_ body: String) async throws {
        let response = try await client.send("POST", "/login", [("Content-Type", "application/json")], body: body)
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"invalid_request"}"#)
    }

    @Test(arguments: ["text/plain", "multipart/form-data; boundary=x", "application/xml"])
    func `another content type is refused, and JSON in disguise with it`(_ type: String) async throws {
        let account = try await server.signUp()
        let body = #"{"email":"\#(account.email)","password":"\#(Account.password)"}"#
        let response = try await client.send("POST", "/login", [("Content-Type", type)], body: body)
        #expect(response.status == 415)
        #expect(response.text == #"{"error":"unsupported_media_type"}"#)
        #expect(response.value("Set-Cookie") == nil)
    }

    @Test func `a new sign-in has a new cookie, and the old one is dead`() async throws {
        let (account, client) = (try await server.signUp(), try client)
        let old = try ReceivedCookie(await client.logIn(account.email)).value
        let new = try ReceivedCookie(await client.logIn(account.email, remember: true)).value
        #expect(new != old)
        #expect(try await client.touch().status == 200)
        client.cookies = ["sid": old]
        expectSignedOut(try await client.touch())
    }

    @Test func `somebody else's sign-in in the same browser ends the session before`() async throws {
        let (first, second, client) = (try await server.signUp(), try await server.signUp(), try client)
        let old = try ReceivedCookie(await client.logIn(first.email)).value
        #expect(try await client.logIn(second.email).json["user"]?["id"] == .string(second.id))
        client.cookies = ["sid": old]
        expectSignedOut(try await client.touch())
    }

    @Test func `a sign-in that fails leaves the session as it was`() async throws {
        let (account, client) = (try await server.signUp(), try client)
        _ = try await client.logIn(account.email)
        #expect(try await client.logIn(account.email, "wrong password").status == 401)
        #expect(try await client.touch().status == 200)
    }

    @Test(arguments: [
        "kdc_AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "chosen-by-somebody", "", "\"quoted\"",
        String(repeating: "x", count: 8000),
    ])
    func `a cookie that is not ours is never taken over`(_ planted: String) async throws {
        let (account, client) = (try await server.signUp(), try client)
        client.cookies = ["sid": planted]
        let cookie = try ReceivedCookie(await client.logIn(account.email))
        #expect(cookie.value != planted)
        client.cookies = ["sid": planted]
        #expect(try await client.touch().status == 401)
    }

    @Test(arguments: ["GET", "PUT", "DELETE"])
    func `only POST signs in`(_ method: String) async throws {
        let response = try await client.send(method, "/login")
        #expect(response.status == 405)
        #expect(response.value("Allow") == "POST")
        #expect(response.text == #"{"error":"method_not_allowed"}"#)
    }
}
