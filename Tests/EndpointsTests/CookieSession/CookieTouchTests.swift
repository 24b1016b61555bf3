import Server
import TestSupport
import Testing
import Text

@Suite(.needsServers)
struct CookieTouchTests {
    private func session(
        remember: Bool = false, _ configure: (inout Configuration) -> Void = { _ in },
        _ body: (Installation, CookieClient, Account) async throws -> Void
    ) async throws {
        try await Installation(configure).run { installation in
            let client = CookieClient(try installation.server)
            let account = try await installation.server.signUp()
            #expect(try await client.logIn(account.email, remember: remember).status == 200)
            try await body(installation, client, account)
        }
    }

    @Test func `a touch says how long the session lasts, and changes no cookie`() async throws {
        try await session { installation, client, _ in
            let begun = installation.clock.now.seconds
            installation.clock.advance(by: .seconds(600))
            let response = try await client.touch()
            #expect(response.status == 200)
            #expect(
                response.text
                    == #"{"status":"ok","session":{"expires_at":\#(begun + 43_200),"idle_expires_at":\#(begun + 2400)}}"#)
            #expect(response.value("Set-Cookie") == nil)
            #expect(response.value("Cache-Control") == "no-store")
        }
    }

    @Test func `HEAD is answered like GET, without a body`() async throws {
        try await session { _, client, _ in
            let response = try await client.send("HEAD", "/touch")
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
            #expect(response.value("Content-Length").flatMap { Int($0) } ?? 0 > 0)
            client.cookies = [:]
            #expect(try await client.send("HEAD", "/touch").status == 401)
        }
    }

    @Test func `the session ends half an hour after its last use, and not a second before`() async throws {
        try await session { installation, client, _ in
            for _ in 0..<3 {
                installation.clock.advance(by: .seconds(1799))
                #expect(try await client.touch().status == 200)
            }
            installation.clock.advance(by: .seconds(1800))
            let cookies = client.cookies
            expectSignedOut(try await client.touch())
            #expect(client.cookies.isEmpty)
            client.cookies = cookies
            installation.clock.advance(by: .seconds(-1))
            #expect(try await client.touch().status == 200, "the record was not touched")
        }
    }

    @Test func `no use puts off its end after twelve hours`() async throws {
        try await session { installation, client, _ in
            for _ in 0..<24 {
                installation.clock.advance(by: .seconds(1799))
                #expect(try await client.touch().status == 200)
            }
            installation.clock.advance(by: .seconds(23))
            #expect(try await client.touch().status == 200)
            installation.clock.advance(by: .seconds(1))
            expectSignedOut(try await client.touch())
        }
    }

    @Test func `one that is remembered lives idle for two weeks, and for ninety days in all`() async throws {
        try await session(remember: true) { installation, client, _ in
            for _ in 0..<6 {
                installation.clock.advance(by: .seconds(14 * 86_400 - 1))
                #expect(try await client.touch().status == 200)
            }
            installation.clock.advance(by: .seconds(6 * 86_400 + 5))
            #expect(try await client.touch().status == 200)
            installation.clock.advance(by: .seconds(1))
            expectSignedOut(try await client.touch())
        }
    }

    @Test func `a touch is no use where it is configured so, but asking for the session is`() async throws {
        try await session({ $0.cookies.touchSlides = false }) { installation, client, _ in
            installation.clock.advance(by: .seconds(1000))
            #expect(
                try await client.touch().json["session"]?["idle_expires_at"] == .integer(installation.clock.now.seconds + 800))
            #expect(try await client.send("GET", "/session").status == 200)
            installation.clock.advance(by: .seconds(1000))
            #expect(try await client.touch().status == 200)
            installation.clock.advance(by: .seconds(800))
            expectSignedOut(try await client.touch())
        }
    }

    @Test func `an app that puts its saved cookie back is as signed in as before`() async throws {
        try await session(remember: true) { installation, client, _ in
            let saved = client.cookies
            for _ in 0..<10 {
                installation.clock.advance(by: .seconds(86_400))
                #expect(try await client.touch().status == 200)
            }
            #expect(client.cookies == saved)
            client.cookies = saved
            let response = try await client.touch()
            #expect(response.status == 200)
        }
    }

    @Test func `without a cookie nobody is signed in, and whatever has not its form counts as none`() async throws {
        try await session { _, client, _ in
            let good = try #require(client.cookies["sid"])
            for cookies in [
                [:], ["sid": ""], ["sid": "x"], ["SID": good], ["sessionid": good], ["__Host-sid": good], ["sid": good + "A"],
            ] {
                client.cookies = cookies
                expectSignedOut(try await client.touch(), "unauthenticated")
            }
            let forged = good.withOtherEnd
            client.cookies = ["sid": forged]
            #expect(try await client.touch().status == 401)
            #expect(try await client.server.send("GET", "/touch?sid=\(good)").status == 401)
            #expect(try await client.server.get("/touch", bearer: good).status == 401)
        }
    }

    @Test func `of several cookies of the name the first that has the form counts`() async throws {
        try await session { _, client, _ in
            let good = try #require(client.cookies["sid"])
            let many = (0..<300).map { "c\($0)=\($0)" }.joined(separator: "; ")
            for field in [
                "sid=x; sid=\(good)", "sid=\(good); sid=x", "$Version=1; sid=\(good)", "\(many); sid=\(good)",
                "sid=\"x; sid=\(good)",
            ] {
                #expect(try await client.server.send("GET", "/touch", [("Cookie", field)]).status == 200, "\(field)")
            }
            let two = [(name: "Cookie", value: "a=b"), (name: "Cookie", value: "sid=\(good)")]
            #expect(try await client.server.send("GET", "/touch", two).status == 200)
        }
    }

    @Test func `a sign-out wins against a storm of touches, on two copies`() async throws {
        try await Installation().run(copies: 2) { installation in
            let account = try await installation.server.signUp()
            for _ in 0..<5 {
                let client = CookieClient(try installation.server)
                _ = try await client.logIn(account.email)
                let cookie = (name: "Cookie", value: "sid=\(client.cookies["sid"] ?? "")")
                try await withThrowingTaskGroup { group in
                    for number in 0..<30 {
                        let server = installation.copies[number % 2].http
                        group.addTask {
                            if number == 15 {
                                #expect(try await server.send("POST", "/logout", [cookie]).status == 200)
                            } else {
                                _ = try await server.send("GET", "/touch", [cookie])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                for copy in installation.copies { expectSignedOut(try await copy.http.send("GET", "/touch", [cookie])) }
            }
        }
    }

    @Test func `the end of the account ends it`() async throws {
        try await session { installation, client, account in
            let databaseURL = installation.databaseURL
            #expect(try await client.server.delete("/auth/me", bearer: account.accessToken).status == 204)
            #expect(try TestDatabase.rows("SELECT count(*) FROM users", on: databaseURL) == [["0"]])
            expectSignedOut(try await client.touch())
        }
    }
}
