import JOSE
import Networking
import TestSupport
import Testing

@testable import Identity

@Suite(.timeLimit(.minutes(5))) struct KeySetsTests {
    @Test func `the keys are fetched at the start, and known on every loop without asking anybody again`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a", "b"))
        for loop in 0..<2 {
            for name in ["a", "b", "a"] { #expect(await world.lookUp(name, on: loop) == .key(name)) }
        }
        #expect(world.server.requests.map(\.target) == ["/keys"])
        let report = try await world.report
        #expect(report.fetches == [.succeeded: 1])
        #expect(report.keyCount == 2)
        #expect(report.age != nil)
    }

    @Test func `whoever asks before the keys are there waits for them`() async throws {
        let world = try KeySetWorld(.response(status: 200, body: try TestKeys.set("a")))
        await world.start()
        #expect(await world.lookUp("a") == .key("a"))
        #expect(world.server.requests.count == 1)
    }

    @Test func `a set that has moved is fetched from where it is now, and its old keys are used until then`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("old"))
        world.serve(try TestKeys.set("new"))
        await world.keeper.adopt([KeySetWorld.provider: world.server.url("/moved")])
        try await eventually { await world.lookUp("new") == .key("new") }
        #expect(world.server.requests.map(\.target) == ["/keys", "/moved"])
        try await eventually { await world.lookUp("old", on: 1) == .unknown }
        // One that stays is left alone; one that goes and comes back is fetched again.
        await world.keeper.adopt([KeySetWorld.provider: world.server.url("/moved")])
        await world.keeper.adopt([:])
        #expect(await world.keeper.reports.isEmpty)
        world.serve(try TestKeys.set("again"))
        await world.keeper.adopt([KeySetWorld.provider: world.server.url("/moved")])
        for loop in 0..<2 { try await eventually { await world.lookUp("again", on: loop) == .key("again") } }
        #expect(world.server.requests.map(\.target).first == "/keys")
        #expect(world.server.requests.dropFirst().allSatisfy { $0.target == "/moved" })
    }

    @Test func `one broken key does not spoil the set`() async throws {
        let good = try TestKeys.set("a").dropFirst(#"{"keys":["#.count)
        let world = try await KeySetWorld.started(
            #"{"keys":[{"kid":"b","kty":"RSA","n":"!","e":"AQAB"},{"kid":"c","kty":"AKP"},null,"# + good)
        #expect(await world.lookUp("a") == .key("a"))
        #expect(await world.lookUp("b") == .unknown)
    }

    @Test func `a rotated key works at its first use, on every loop, and the withdrawn one no longer`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("old"))
        world.serve(try TestKeys.set("new"))
        #expect(await world.lookUp("new", on: 1) == .key("new"))
        try await eventually { await world.lookUp("new", on: 0) == .key("new") }
        for loop in 0..<2 {
            try await eventually { await world.lookUp("old", on: loop) == .unknown }
        }
        #expect(world.server.requests.count == 3)
    }

    @Test func `ten thousand keys that nobody knows cause five fetches`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a"))
        let parts = world.parts
        let refused = await withTaskGroup(of: Int.self) { group in
            for part in 0..<100 {
                group.addTask {
                    var refused = 0
                    for number in 0..<100 {
                        switch await parts[part % 2].key("forged-\(part)-\(number)", of: KeySetWorld.provider) {
                        case .unknownKey, .unavailable: refused += 1
                        case .key: break
                        }
                    }
                    return refused
                }
            }
            return await group.reduce(0, +)
        }
        #expect(refused == 10_000)
        #expect(world.server.requests.count == 6)
        #expect(await world.lookUp("a") == .key("a"))
    }

    @Test func `ten thousand at once cause one fetch, and those beyond the bound do not wait for it`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a")) { $0.patience = .seconds(10) }
        world.serve(.silence)
        let parts = world.parts
        let refused = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    if case .unavailable = await parts[number % 2].key("forged-\(number)", of: KeySetWorld.provider) {
                        refused.withLock { $0 += 1 }
                    }
                }
            }
            // All but those that may wait are answered while the server still says nothing.
            try? await eventually { refused.value >= 10_000 - 1024 }
            #expect(await world.count(.timedOut) == 0)
            await group.waitForAll()
        }
        #expect(refused.value == 10_000)
        #expect(world.server.requests.count == 2)
        #expect(await world.lookUp("a") == .key("a"))
    }

    @Test func `a new key is good although made-up ones were asked for just before`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("old"))
        for number in 0..<3 { #expect(await world.lookUp("made-up-\(number)") == .unknown) }
        world.serve(try TestKeys.set("old", "new"))
        #expect(await world.lookUp("new", on: 1) == .key("new"))
        // The same made-up key costs no fetch again.
        let count = world.server.requests.count
        for loop in 0..<2 { #expect(await world.lookUp("made-up-1", on: loop) == .unknown) }
        #expect(world.server.requests.count == count)
    }

    @Test func `after the interval an unknown key may cause a fetch again`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a")) { $0.refetchInterval = .milliseconds(50) }
        #expect(await world.lookUp("b") == .unknown)
        world.serve(try TestKeys.set("b"))
        try await eventually { await world.lookUp("b") == .key("b") }
    }

    /// What a key server in trouble may answer, and what that is called.
    static let troubles: [(TestHTTPServer.Answer, KeySetFetchOutcome)] = [
        (.response(status: 500), .status), (.response(status: 404, body: "{}"), .status),
        (.response(status: 200, body: "<html>We are sorry</html>"), .invalid), (.response(status: 200), .invalid),
        (.response(status: 200, body: #"{"keys":[]}"#), .empty),
        (.response(status: 200, body: #"{"keys":[{"kty":"RSA","kid":"a"}]}"#), .empty),
        (.response(status: 200, body: #"{"keys":["# + String(repeating: " ", count: 256 * 1024)), .tooLarge),
        (.endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), then: Array(repeating: 0x20, count: 8192)), .tooLarge),
        (.response(status: 302, fields: ["location": "https://keys.example/"]), .redirectRefused),
        (.bytes(Array("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".utf8)), .connection), (.bytes([]), .connection),
        (.silence, .timedOut),
    ]

    @Test(arguments: troubles.indices)
    func `with a server in trouble known keys go on, and unknown ones are neither good nor bad`(index: Int) async throws {
        let (trouble, outcome) = Self.troubles[index]
        let world = try await KeySetWorld.started(
            try TestKeys.set("a"), timeout: outcome == .timedOut ? .seconds(2) : .seconds(30))
        let (requests, failures) = (world.server.requests.count, await world.count(outcome))
        world.serve(trouble)
        #expect(await world.lookUp("b") == .unavailable)
        #expect(await world.count(outcome) == failures + 1)
        for loop in 0..<2 {
            #expect(await world.lookUp("a", on: loop) == .key("a"))
            #expect(await world.lookUp("b", on: loop) == .unavailable)
        }
        #expect(world.server.requests.count == requests + 1)
        #expect(try await world.report.keyCount == 1)
        #expect(world.messages.suffix(2) == ["key set changed", "key set not fetched; the old keys are used"])
    }

    @Test func `who asks waits no longer than his patience, whatever the server does`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a"), timeout: .seconds(60)) {
            $0.patience = .milliseconds(200)
        }
        world.serve(.silence)
        #expect(await world.lookUp("b") == .unavailable)
        // The fetch itself goes on.
        #expect(try await world.report.fetches == [.succeeded: 1])
        #expect(await world.lookUp("a", on: 1) == .key("a"))
        #expect(await world.lookUp("c", on: 1) == .unavailable)
        // By now, or as soon as the handshake is over.
        try await eventually { world.server.requests.count == 2 }
    }

    @Test func `a server with a certificate of another authority is not believed`() async throws {
        let world = try KeySetWorld(.response(status: 200, body: try TestKeys.set("a")), isTrusted: false)
        await world.start()
        #expect(await world.lookUp("a") == .unavailable)
        #expect(await world.count(.tls) >= 1)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a server that is away at the start is asked again by itself`() async throws {
        let world = try KeySetWorld(.response(status: 503)) { $0.urgentPauses = .milliseconds(10) ... .milliseconds(50) }
        await world.start()
        try await eventually { await world.count(.status) >= 3 }
        #expect(await world.lookUp("a") == .unavailable)
        world.serve(try TestKeys.set("a"))
        try await eventually { await world.count(.succeeded) == 1 }
        try await eventually { await world.lookUp("a", on: 1) == .key("a") }
        #expect(world.messages == ["key set not fetched", "key set changed"])
    }

    @Test func `keys are renewed before they expire, though nobody asks`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a")) {
            $0.lifetimes = .milliseconds(100) ... .milliseconds(100)
        }
        world.serve(try TestKeys.set("b"))
        try await eventually { await world.count(.succeeded) >= 4 }
        #expect(await world.lookUp("b", on: 1) == .key("b"))
        // What is the same is no news.
        #expect(world.messages == ["key set changed", "key set changed"])
    }

    @Test func `keys that cannot be renewed are used until they are too old`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a")) {
            $0.lifetimes = .milliseconds(50) ... .milliseconds(50)
            $0.staleLifetime = .seconds(20)
            $0.pauses = .milliseconds(10) ... .milliseconds(50)
            $0.urgentPauses = .milliseconds(10) ... .milliseconds(50)
        }
        world.serve(.response(status: 500))
        try await eventually { await world.count(.status) >= 3 }
        #expect(await world.lookUp("a", on: 1) == .key("a"))
        try await eventually { await world.lookUp("a", on: 1) == .unavailable }
        try await eventually { world.messages.last == "key set too old to be used" }
        #expect(try await world.report.keyCount == 0)
        world.serve(try TestKeys.set("a"))
        try await eventually { await world.lookUp("a", on: 1) == .key("a") }
    }

    @Test func `a recovery is told once`() async throws {
        let body = try TestKeys.set("a")
        let world = try await KeySetWorld.started(body) {
            $0.lifetimes = .milliseconds(50) ... .milliseconds(50)
            $0.pauses = .milliseconds(10) ... .milliseconds(20)
        }
        world.serve(.response(status: 500))
        try await eventually { await world.count(.status) >= 3 }
        let before = await world.count(.succeeded)
        world.serve(body)
        try await eventually { await world.count(.succeeded) >= before + 2 }
        #expect(
            world.messages.suffix(3) == [
                "key set changed", "key set not fetched; the old keys are used", "key set fetched again",
            ])
    }

    @Test func `a keeper that has closed fetches nothing, and nobody waits for it`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a"), timeout: .seconds(60)) { $0.patience = .seconds(60) }
        world.serve(.silence)
        let keys = world.parts[0]
        async let waiting = keys.key("b", of: KeySetWorld.provider)
        try await eventually { world.server.requests.count == 2 }
        await world.keeper.close()
        guard case .unavailable = await waiting else {
            Issue.record("somebody found out")
            return
        }
        #expect(await world.lookUp("c") == .unavailable)
        #expect(await world.lookUp("a") == .key("a"))
        #expect(world.server.requests.count == 2)
    }

    @Test func `a provider that is not configured has no keys`() async throws {
        let world = try await KeySetWorld.started(try TestKeys.set("a"))
        guard case .unknownKey = await world.parts[0].key("a", of: .google) else {
            Issue.record("a key of nobody")
            return
        }
    }
}
