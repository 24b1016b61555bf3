import ClientTestSupport
import Foundation
import KidobanAuth
import KidobanTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Refresh", .enabled(if: LiveServer.isThere))
struct RefreshTests {
    @Test func `twenty tasks at once need one refresh`() async throws {
        let transport = ScriptedTransport()
        let (app, email) = try await signedUp(transport)
        let old = try await app.accessToken()
        // The server refuses the first token, as it would an expired one.
        await transport.follow { $0.value(forHTTPHeaderField: "Authorization") == "Bearer \(old)" ? .answer(401) : .deliver }
        try await withThrowingTaskGroup(of: String?.self) { tasks in
            for _ in 0..<20 { tasks.addTask { try await app.reload().email } }
            for try await answer in tasks { #expect(answer == email) }
        }
        #expect(try await app.accessToken() != old)
        // Nor does one whose refusal came late.
        #expect(try await app.accessToken(insteadOf: old) == app.accessToken())
        #expect(await app.refreshCount == 1)
        #expect(await transport.count("auth/refresh") == 1)
    }

    @Test func `a lost answer is asked for again with the same refresh token`() async throws {
        let transport = ScriptedTransport()
        let time = TestClock()
        let (app, _) = try await signedUp(transport, clock: time.clock)
        for _ in 0..<3 {
            let isFirst = Box(true)
            await transport.follow { request in
                guard request.goes(to: "auth/refresh") else { return .deliver }
                return isFirst.change { first in
                    defer { first = false }
                    return first
                } ? .loseAnswer : .deliver
            }
            _ = try await app.accessToken(forced: true)
        }
        #expect(await transport.count("auth/refresh") == 6)
        let bodies = await transport.requests.filter { $0.goes(to: "auth/refresh") }.map(\.httpBody)
        #expect(bodies[0] == bodies[1] && bodies[1] != bodies[2])
        #expect(try await app.reload().name == "Mei")
    }

    @Test func `every answer is lost until the client gives up, and the session is still there`() async throws {
        let transport = ScriptedTransport()
        let time = TestClock()
        let (app, _) = try await signedUp(transport, clock: time.clock)
        await transport.follow { $0.goes(to: "auth/refresh") ? .loseAnswer : .deliver }
        let failure = await error { () throws(KidobanError) in _ = try await app.accessToken(forced: true) }
        #expect(failure == .network(.networkConnectionLost))
        await transport.follow { _ in .deliver }
        _ = try await app.accessToken(forced: true)
        #expect(try await app.reload().name == "Mei")
    }

    @Test func `a server that is away signs nobody out`() async throws {
        let storage = MemoryTokenStorage()
        _ = try await signedUp(storage: storage)
        let nowhere = try #require(URL(string: "http://127.0.0.1:9"))
        let app = KidobanClient(
            nowhere, storage: storage, transport: URLSessionTransport(deadline: 2, connections: 1), clock: TestClock().clock)
        let failure = await error { () throws(KidobanError) in _ = try await app.accessToken(forced: true) }
        guard case .network = failure else { return #expect(failure == .network(.cannotConnectToHost)) }
        #expect(try await app.user != nil)
        #expect(try await client(storage: storage).reload().name == "Mei")
    }

    @Test(arguments: [503, 429]) func `waits as long as Retry-After says`(status: Int) async throws {
        let transport = ScriptedTransport()
        let time = TestClock()
        let (app, _) = try await signedUp(transport, clock: time.clock)
        let left = Box(2)
        await transport.follow { request in
            guard request.goes(to: "auth/refresh"),
                left.change({
                    $0 -= 1; return $0 >= 0
                })
            else { return .deliver }
            return .answer(status, fields: ["Retry-After": "3"])
        }
        _ = try await app.accessToken(forced: true)
        #expect(time.slept.value == [3, 3])
    }

    @Test func `a longer Retry-After is the caller's to wait for, and nobody asks before`() async throws {
        let transport = ScriptedTransport()
        let time = TestClock()
        let (app, _) = try await signedUp(transport, clock: time.clock)
        await transport.follow { $0.goes(to: "auth/refresh") ? .answer(503, fields: ["Retry-After": "60"]) : .deliver }
        for _ in 0..<5 {
            let failure = await error { () throws(KidobanError) in _ = try await app.accessToken(forced: true) }
            guard case .unavailable = failure else { return #expect(failure == .unavailable(retryAfter: 60)) }
        }
        #expect(await transport.count("auth/refresh") == 1)
        await transport.follow { _ in .deliver }
        time.advance(by: 61)
        _ = try await app.accessToken(forced: true)
    }

    @Test func `a server that says to rest for a day is asked again in a minute`() async throws {
        let transport = ScriptedTransport()
        let time = TestClock()
        let (app, _) = try await signedUp(transport, clock: time.clock)
        await transport.follow { $0.goes(to: "auth/refresh") ? .answer(503, fields: ["Retry-After": "86400"]) : .deliver }
        #expect(await error { () throws(KidobanError) in _ = try await app.accessToken(forced: true) } != nil)
        await transport.follow { _ in .deliver }
        time.advance(by: 61)
        _ = try await app.accessToken(forced: true)
    }

    @Test func `a wrong password is sent once`() async throws {
        let transport = ScriptedTransport()
        let (app, _) = try await signedUp(transport)
        let failure = await error { () throws(KidobanError) in
            try await app.changeEmail(to: LiveServer.newEmail(), password: "not the password")
        }
        #expect(failure == .invalidCredentials)
        #expect(await transport.count("me/email") == 1)
        #expect(await transport.count("auth/refresh") == 0)
    }

    @Test(arguments: [
        (401, "<html>Sign in to the hotel</html>"), (401, #"{"error":"Unauthorized"}"#), (403, ""), (500, ""), (404, ""),
    ])
    func `an answer that is not Kidoban's word ends no session`(status: Int, body: String) async throws {
        let transport = ScriptedTransport()
        let (app, _) = try await signedUp(transport, clock: TestClock().clock)
        await transport.follow { $0.goes(to: "auth/refresh") ? .answer(status, body: body) : .deliver }
        let failure = await error { () throws(KidobanError) in _ = try await app.accessToken(forced: true) }
        #expect(failure != nil)
        #expect(try await app.user != nil)
        await transport.follow { _ in .deliver }
        _ = try await app.accessToken(forced: true)
    }

    @Test func `a session that was ended elsewhere is over here`() async throws {
        let (app, email) = try await signedUp()
        let tablet = try client()
        try await tablet.signIn(email: email, password: LiveServer.password)
        try await tablet.signOutOtherDevices()
        let failure = await error { () throws(KidobanError) in try await app.reload() }
        #expect(failure == .sessionEnded(.refused))
        #expect(try await app.user == nil)
        // It is remembered why.
        #expect(await error { () throws(KidobanError) in try await app.reload() } == .sessionEnded(.refused))
        for await state in app.states() {
            #expect(state == .signedOut(.refused))
            break
        }
        #expect(try await tablet.devices().map(\.isCurrent) == [true])
    }

    @Test func `who is cancelled leaves the refresh to the others`() async throws {
        let transport = ScriptedTransport()
        let (app, _) = try await signedUp(transport)
        let isHeld = Box(true)
        await transport.follow { request in
            while request.goes(to: "auth/refresh"), isHeld.value { try? await Task.sleep(nanoseconds: 5_000_000) }
            return .deliver
        }
        let old = try await app.accessToken()
        let patient = Task { try await app.accessToken(forced: true) }
        let impatient = Task { try await app.accessToken(forced: true) }
        #expect(try await eventually { await transport.count("auth/refresh") == 1 })
        impatient.cancel()
        await #expect(throws: KidobanError.cancelled) { try await impatient.value }
        isHeld.value = false
        #expect(try await patient.value != old)
        #expect(await app.refreshCount == 1)
    }

    @Test func `a request of the app is sent again with a fresh token, once`() async throws {
        let transport = ScriptedTransport()
        let (app, _) = try await signedUp(transport)
        await transport.follow { $0.goes(to: "orders") ? .answer(401) : .deliver }
        let url = try #require(URL(string: "https://api.example.com/orders"))
        let (_, response) = try await app.data(for: URLRequest(url: url))
        #expect(response.statusCode == 401)
        let tokens = await transport.requests.filter { $0.goes(to: "orders") }.map {
            $0.value(forHTTPHeaderField: "Authorization")
        }
        #expect(tokens.count == 2 && tokens[0] != tokens[1])
        #expect(try await app.user != nil)
    }

    @Test func `no token goes to an address without TLS`() async throws {
        let (app, _) = try await signedUp()
        let url = try #require(URL(string: "http://api.example.com/orders"))
        #expect(await error { () throws(KidobanError) in _ = try await app.data(for: URLRequest(url: url)) } == .insecureURL)
    }
}
