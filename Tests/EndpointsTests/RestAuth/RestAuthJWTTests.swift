import Endpoints
import Server
import TestSupport
import Testing
import Text

private func claims(_ token: String?) throws -> (header: JSONValue, payload: JSONValue) {
    let parts = try #require(token).split(separator: ".")
    try #require(parts.count == 3)
    return (try JSON.parse(try #require(Base64URL.decode(parts[0]))), try JSON.parse(try #require(Base64URL.decode(parts[1]))))
}

/// Contract §3.1: `REST_USE_JWT` of 0.9.5.
@Suite(.needsServers, .installation { $0.restAuth.tokens = .jwt })
struct RestAuthOldJWTTests {
    @Test func `a sign-in gives a JWT of five minutes and the user`() async throws {
        let installation = try #require(Installation.current)
        let django = DjangoClient(server: try installation.server)
        let (email, response) = try await django.register()
        #expect(response.status == 201)
        #expect(response.keys == ["token", "user"])
        #expect(response.json["user"]?.keys == ["pk", "username", "email", "first_name", "last_name"])
        let token = try #require(response.json["token"]?.stringValue)
        let (header, payload) = try claims(token)
        #expect(header["alg"] == "HS256")
        #expect(payload["user_id"] == response.json["user"]?["pk"])
        #expect(payload["email"] == .string(email))
        #expect(payload["username"] == response.json["user"]?["username"])
        #expect(payload["exp"]?.integerValue == installation.clock.now.adding(.seconds(300)).seconds)
        #expect(try await django.get("/user/", [("Authorization", "JWT \(token)")]).status == 200)
        let broken = try await django.get("/user/", [("Authorization", "JWT \(token)x")])
        #expect(broken.status == 401)
        #expect(broken.json == ["detail": "Error decoding signature."])
        #expect(broken.value("WWW-Authenticate") == "JWT realm=\"api\"")
        #expect(
            try await django.get("/user/", [("Authorization", "JWT")]).json["detail"]
                == "Invalid Authorization header. No credentials provided.")
        #expect(
            try await django.get("/user/", [("Authorization", "Token \(token)")]).json["detail"]
                == "Authentication credentials were not provided.")
        _ = try await django.get("/logout/", response.jar)
        #expect(try await django.get("/user/", [("Authorization", "JWT \(token)")]).status == 401)
        let again = try await django.logIn(email)
        installation.clock.advance(by: .seconds(300))
        let authorization = [("Authorization", "JWT \(again.json["token"]?.stringValue ?? "")")]
        // The store knows it still, so it is this clock that is wrong.
        #expect(try await django.get("/user/", authorization).status == 200)
        #expect(try await django.get("/user/", again.jar).status == 200)
        _ = try await django.get("/logout/", again.jar)
        let late = try await django.get("/user/", authorization)
        #expect(late.status == 401)
        #expect(late.json == ["detail": "Signature has expired."])
    }
}

/// Contract §4. One after the other, because some move the clock by more than a sign-in may take.
@Suite(
    .serialized, .needsServers,
    .installation { configuration in
        DjangoClient.useAllauthLinks(&configuration)
        configuration.restAuth.dialect = .djRestAuth
        configuration.restAuth.tokens = .jwt
        configuration.restAuth.tokenCookies.isHTTPOnly = false
        configuration.restAuth.returnsExpiration = true
    })
struct RestAuthSimpleJWTTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server, mount: "/dj-rest-auth") } }

    private func signedIn() async throws -> (email: String, access: String, refresh: String) {
        let (email, response) = try await django.register()
        return (
            email, try #require(response.json["access"]?.stringValue, "\(response.text)"),
            try #require(response.json["refresh"]?.stringValue)
        )
    }

    private func user(_ access: String) async throws -> TestHTTPResponse {
        try await django.get("/user/", [("Authorization", "Bearer \(access)")])
    }

    @Test func `a sign-in gives both tokens, when they expire, and the user`() async throws {
        let (_, response) = try await django.register()
        #expect(response.status == 201)
        #expect(response.keys == ["access", "refresh", "access_expiration", "refresh_expiration", "user"])
        let now = try installation.clock.now
        let (header, access) = try claims(response.json["access"]?.stringValue)
        #expect(header["alg"] == "HS256")
        #expect(access.keys == ["token_type", "exp", "iat", "jti", "user_id"])
        #expect(access["token_type"] == "access")
        #expect(access["user_id"] == .string(String(response.json["user"]?["pk"]?.integerValue ?? 0)))
        #expect(access["exp"]?.integerValue == now.adding(.seconds(300)).seconds)
        let refresh = try claims(response.json["refresh"]?.stringValue).payload
        #expect(refresh["token_type"] == "refresh")
        #expect(refresh["exp"]?.integerValue == now.adding(.seconds(86_400)).seconds)
        #expect(response.json["access_expiration"] == .string(now.adding(.seconds(300)).iso8601))
        #expect(response.json["refresh_expiration"] == .string(now.adding(.seconds(86_400)).iso8601))
    }

    @Test func `an access token is checked as simplejwt does`() async throws {
        let (email, access, refresh) = try await signedIn()
        #expect(try await user(access).status == 200)
        func message(_ text: String) -> JSONValue {
            [
                "detail": "Given token not valid for any token type", "code": "token_not_valid",
                "messages": [["token_class": "AccessToken", "token_type": "access", "message": .string(text)]],
            ]
        }
        let bad = try await user(access + "x")
        #expect(bad.status == 401)
        #expect(bad.json == message("Token is invalid"))
        #expect(bad.value("WWW-Authenticate") == "Bearer realm=\"api\"")
        #expect(try await user(refresh).json == message("Token has wrong type"))
        let account = try await django.server.signUp()
        #expect(try await user(account.accessToken).json == message("Token is invalid"))
        let none = try await django.get("/user/")
        #expect(none.json == ["detail": "Authentication credentials were not provided."])
        #expect(none.value("WWW-Authenticate") == "Bearer realm=\"api\"")
        let installation = try self.installation
        try installation.change(email, "disabled_at = now()")
        #expect(try await user(access).json == ["detail": "User is inactive", "code": "user_inactive"])
        try TestDatabase.run("DELETE FROM users WHERE email = '\(email)'", on: installation.databaseURL)
        #expect(try await user(access).json == ["detail": "User not found", "code": "user_not_found"])
    }

    @Test func `token verify says what is good`() async throws {
        let (_, access, refresh) = try await signedIn()
        for token in [access, refresh] {
            let good = try await django.send("/token/verify/", [("token", token)])
            #expect(good.status == 200)
            #expect(good.text == "{}")
        }
        let bad = try await django.send("/token/verify/", [("token", "x.y.z")])
        #expect(bad.status == 401)
        #expect(bad.text == #"{"detail":"Token is invalid","code":"token_not_valid"}"#)
        #expect(try await django.json("/token/verify/", "{}").text == #"{"token":["This field is required."]}"#)
        _ = try await django.send("/logout/", [("refresh", refresh)])
        #expect(try await django.send("/token/verify/", [("token", access)]).status == 401)
        let over = try await django.send("/token/verify/", [("token", refresh)])
        #expect(over.status == 400)
        #expect(over.text == #"{"non_field_errors":["Token is blacklisted"]}"#)
    }

    @Test func `token refresh gives a new access token`() async throws {
        let (_, access, refresh) = try await signedIn()
        let response = try await django.send("/token/refresh/", [("refresh", refresh)])
        #expect(response.status == 200)
        #expect(response.keys == ["access", "access_expiration"])
        let new = try #require(response.json["access"]?.stringValue)
        #expect(new != access)
        #expect(try await user(new).status == 200)
        let cases: [(String, Int, String)] = [
            ("{}", 401, #"{"detail":"No valid refresh token found.","code":"token_not_valid"}"#),
            (#"{"refresh":""}"#, 400, #"{"refresh":["This field may not be blank."]}"#),
            (#"{"refresh":"x"}"#, 401, #"{"detail":"Token is invalid","code":"token_not_valid"}"#),
        ]
        for (body, status, text) in cases {
            let answer = try await django.json("/token/refresh/", body)
            #expect(answer.status == status)
            #expect(answer.text == text)
        }
        let blank = try await django.send("/token/refresh/", [("refresh", "")])
        #expect(blank.text == #"{"refresh":["This field may not be blank."]}"#)
        _ = try await django.send("/logout/", [("refresh", refresh)])
        #expect(try await user(new).status == 401)
        let over = try await django.send("/token/refresh/", [("refresh", refresh)])
        #expect(over.status == 401)
        #expect(over.text == #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#)
        let (_, _, another) = try await signedIn()
        try installation.clock.advance(by: .seconds(86_401))
        let late = try await django.send("/token/refresh/", [("refresh", another)])
        #expect(late.text == #"{"detail":"Token is expired","code":"token_not_valid"}"#)
    }

    @Test func `signing out takes the refresh token`() async throws {
        let (_, access, refresh) = try await signedIn()
        let missing = try await django.send("/logout/", [], [("Authorization", "Bearer \(access)")])
        #expect(missing.status == 401)
        #expect(missing.text == #"{"detail":"Refresh token was not included in request data."}"#)
        let bad = try await django.send("/logout/", [("refresh", "x")])
        #expect(bad.status == 401)
        #expect(bad.json["code"] == "token_not_valid")
        let done = try await django.json("/logout/", #"{"refresh":"\#(refresh)"}"#)
        #expect(done.text == RestAuthLogoutTests.done)
        #expect(try await user(access).json["detail"] == "Given token not valid for any token type")
    }

    @Test func `the session of the cookie ends where the refresh token is missing or bad`() async throws {
        for body in ["{}", #"{"refresh":"x"}"#] {
            let jar = try await django.register().response.jar
            #expect(try await django.get("/user/", jar).status == 200)
            let refused = try await django.json("/logout/", body, jar)
            #expect(refused.status == 401)
            #expect(refused.cookieValue("sessionid") == "")
            #expect(try await django.get("/user/", jar).status == 401)
        }
    }

    @Test func `a new user's password resembles nothing that is known of the user`() async throws {
        let name = "kurobe\(UInt32.random(in: 0 ... .max))"
        for (password, attribute) in [("\(name)x", "username"), ("example.com", "email address")] {
            let response = try await django.register("\(name)@example.com", password: password).response
            #expect(response.status == 400)
            #expect(response.json == ["non_field_errors": [.string("The password is too similar to the \(attribute).")]])
        }
        let named = try await django.register("\(name)@example.com", password: "tateyama-9", [("username", "tateyama")]).response
        #expect(named.json == ["non_field_errors": ["The password is too similar to the username."]])
    }

    @Test func `texts are those of 7`() async throws {
        let (email, access, _) = try await signedIn()
        #expect(
            try await django.register(email).response.json == ["email": ["User is already registered with this e-mail address."]])
        let values = [
            ("old_password", "wrong"), ("new_password1", "another horse battery"), ("new_password2", "another horse battery"),
        ]
        let response = try await django.send("/password/change/", values, [("Authorization", "Bearer \(access)")])
        #expect(response.json == ["old_password": ["Your old password was entered incorrectly. Please enter it again."]])
        _ = try await django.send("/password/reset/", [("email", email)])
        let link = try #require(try installation.mails(to: email).last { $0.kind == "password_reset" })
        let uid = try #require(link.segments(after: "key").first?.split(separator: "-").first)
        #expect(Int64(uid, radix: 36) != nil)
    }
}

@Suite(
    .needsServers,
    .installation { configuration in
        configuration.issuer = "https://id.example.com"
        configuration.restAuth.dialect = .djRestAuth
        configuration.restAuth.tokens = .jwt
        configuration.restAuth.tokenCookies.access = "app-auth"
        configuration.restAuth.tokenCookies.refresh = "app-refresh"
        configuration.restAuth.rotatesRefreshTokens = true
        configuration.restAuth.beginsCookieSession = false
    })
struct RestAuthJWTCookieTests {
    var installation: Installation { get throws { try #require(Installation.current) } }
    var django: DjangoClient { get throws { DjangoClient(server: try installation.server) } }

    @Test func `tokens live in cookies, change with each refresh, and end with the session`() async throws {
        let (_, response) = try await django.register()
        #expect(response.keys == ["access", "refresh", "user"])
        #expect(response.json["refresh"] == "")
        #expect(response.cookie("sessionid") == nil)
        for (name, life) in [("app-auth", 300), ("app-refresh", 86_400)] {
            let cookie = try #require(response.cookie(name))
            for part in ["Max-Age=\(life)", "Path=/", "HttpOnly", "Secure", "SameSite=Lax"] {
                #expect(cookie.contains("; \(part)"))
            }
        }
        #expect(try await django.get("/user/", response.jar).status == 200)
        let evil = response.jar + [(name: "Origin", value: "https://evil.example")]
        #expect(try await django.send("PATCH", "/user/", [("first_name", "x")], evil).status == 403)
        #expect(try await django.send("/token/refresh/", [], evil).status == 403)
        let refreshed = try await django.send("/token/refresh/", [], response.jar)
        #expect(refreshed.status == 200)
        #expect(refreshed.keys == ["access", "access_expiration"])
        #expect(refreshed.cookieValue("app-refresh") != response.cookieValue("app-refresh"))
        #expect(try await django.get("/user/", refreshed.jar).status == 200)
        let missing = try await django.server.send("POST", "/rest-auth/logout/")
        #expect(missing.json == ["detail": "Refresh token was not included in cookie data."])
        let done = try await django.send("/logout/", [], refreshed.jar)
        #expect(done.text == RestAuthLogoutTests.done)
        #expect(done.cookieValue("app-auth") == "")
        #expect(done.cookieValue("app-refresh") == "")
        #expect(try await django.get("/user/", refreshed.jar).status == 401)
    }

    @Test func `a refresh token that was used long ago ends the session`() async throws {
        let (_, response) = try await django.register()
        var jar = response.jar
        for _ in 0..<2 { jar = try await django.send("/token/refresh/", [], jar).jar }
        let reused = try await django.send("/token/refresh/", [], response.jar)
        #expect(reused.status == 401)
        #expect(reused.json["detail"] == "Token is blacklisted")
        #expect(try await django.get("/user/", jar).status == 401)
    }
}

@Suite(
    .needsServers,
    .installation { configuration in
        configuration.restAuth.dialect = .djRestAuth
        configuration.restAuth.tokens = .jwt
        configuration.restAuth.hasBlacklist = false
        configuration.restAuth.beginsCookieSession = false
    })
struct RestAuthWithoutBlacklistTests {
    @Test func `signing out takes an access token`() async throws {
        let django = DjangoClient(server: try #require(Installation.current).server)
        let access = try await django.register().response.json["access"]?.stringValue ?? ""
        let anonymous = try await django.server.send("POST", "/rest-auth/logout/")
        #expect(anonymous.status == 400)
        #expect(anonymous.json == ["detail": "You should be logged in to logout. Check whether the token is passed."])
        let done = try await django.send("/logout/", [], [("Authorization", "Bearer \(access)")])
        #expect(done.status == 200)
        #expect(done.json["detail"]?.stringValue?.hasPrefix("Neither cookies or blacklist are enabled") == true)
        #expect(try await django.get("/user/", [("Authorization", "Bearer \(access)")]).status == 401)
    }
}
