import TestSupport
import Testing

@testable import Networking

@Suite struct ClientLedgerTests {
    private static func client(_ text: String) throws -> ClientLedger.Client {
        let address: IPAddress = try #require(IPAddress(text))
        return ClientLedger.Client(address)
    }

    @Test func `an IPv6 client is its network, an IPv4 client its address`() throws {
        #expect(try Self.client("2001:db8::1") == Self.client("2001:db8::ffff:1"))
        #expect(try Self.client("2001:db8::1") != Self.client("2001:db8:0:1::1"))
        #expect(try Self.client("192.0.2.1") != Self.client("192.0.2.2"))
        #expect(try Self.client("192.0.2.1") == Self.client("::ffff:192.0.2.1"))
        #expect(try Self.client("0.0.0.1") != Self.client("::1"))
    }

    @Test(arguments: [
        ([10, 20, 30], 60, 30), ([10, 20, 30], 59, 29), ([10, 20, 30], 50, 20), ([10, 20, 30], 40, 15), ([10, 20, 30], 15, 5),
        ([10, 20, 30], 0, 0), ([], 5, 0), ([7], 3, 3), ([5, 5, 5], 9, 3), ([1000, 1, 1], 100, 98),
    ])
    func `the level is the highest that everybody may keep`(_ holdings: [Int], _ target: Int, _ level: Int) {
        #expect(ClientLedger.level(holdings, target: target) == level)
    }

    @Test func `who holds most has to give back, once for all that is too much`() throws {
        let ledger = ClientLedger(connectionsEach: 10, byteLimit: 800)
        let (greedy, modest) = (try Self.client("192.0.2.1"), try Self.client("192.0.2.2"))
        let calls = Locked(0)
        ledger.onExcess { calls.withLock { $0 += 1 } }
        for client in [greedy, modest] { #expect(ledger.admit(client, isProxy: false) == .admitted) }
        ledger.hold(100, for: modest)
        ledger.hold(700, for: greedy)
        #expect(calls.value == 0)
        ledger.hold(200, for: greedy)
        ledger.hold(200, for: greedy)
        #expect(calls.value == 1)
        // Down to three quarters.
        #expect(ledger.excess() == [greedy: 600])
        ledger.hold(-600, for: greedy)
        ledger.endShedding(of: 0)
        #expect(ledger.excess() == [:])
        #expect(ledger.bytes == 600)
        ledger.hold(400, for: modest)
        #expect(calls.value == 2)
    }

    @Test func `what came while some were closed has others closed, unless nobody could be`() throws {
        let ledger = ClientLedger(connectionsEach: 10, byteLimit: 800)
        let client = try Self.client("192.0.2.1")
        let calls = Locked(0)
        ledger.onExcess { calls.withLock { $0 += 1 } }
        #expect(ledger.admit(client, isProxy: false) == .admitted)
        for _ in 0..<2 { ledger.hold(900, for: client) }
        #expect(calls.value == 1)
        ledger.hold(-900, for: client)
        ledger.endShedding(of: 1)
        #expect(calls.value == 2)
        ledger.endShedding(of: 0)
        #expect(calls.value == 2)
        ledger.hold(1, for: client)
        #expect(calls.value == 3)
    }

    @Test func `a client has so many connections, a proxy any number`() throws {
        let ledger = ClientLedger(connectionsEach: 2)
        let client = try Self.client("192.0.2.1")
        #expect((0..<3).map { _ in ledger.admit(client, isProxy: false) } == [.admitted, .admitted, .tooMany])
        #expect(ledger.admit(client, isProxy: true) == .admitted)
        for _ in 0..<2 { ledger.leave(client) }
        #expect(ledger.admit(client, isProxy: false) == .admitted)
    }

    @Test func `while memory is short who holds much gets no further connection, and others do`() throws {
        let ledger = ClientLedger(connectionsEach: 10, byteLimit: 3200)
        let (greedy, modest) = (try Self.client("192.0.2.1"), try Self.client("192.0.2.2"))
        for client in [greedy, modest] { #expect(ledger.admit(client, isProxy: false) == .admitted) }
        ledger.hold(99, for: modest)
        ledger.hold(1500, for: greedy)
        #expect(ledger.admit(greedy, isProxy: false) == .admitted)
        ledger.hold(1, for: greedy)
        #expect(ledger.admit(greedy, isProxy: false) == .tooMuch)
        #expect(ledger.admit(greedy, isProxy: true) == .admitted)
        #expect(ledger.admit(modest, isProxy: false) == .admitted)
        ledger.hold(1, for: modest)
        #expect(ledger.admit(modest, isProxy: false) == .tooMuch)
        ledger.hold(-1402, for: greedy)
        #expect(ledger.admit(greedy, isProxy: false) == .admitted)
    }

    @Test func `the peak is told once`() throws {
        let ledger = ClientLedger()
        let client = try Self.client("192.0.2.1")
        #expect(ledger.admit(client, isProxy: false) == .admitted)
        let idle = ledger.estimate
        ledger.hold(1000, for: client)
        ledger.hold(-1000, for: client)
        #expect(ledger.takePeak() == idle + 1000)
        #expect(ledger.takePeak() == idle)
    }

    @Test func `a /48 of IPv6 has as many connections as four of its networks, and its memory counts together`() throws {
        let ledger = ClientLedger(connectionsEach: 2, byteLimit: 800)
        let networks = try (0..<5).map { try Self.client("2001:db8:0:\($0)::1") }
        for network in networks.prefix(4) {
            #expect((0..<3).map { _ in ledger.admit(network, isProxy: false) } == [.admitted, .admitted, .tooMany])
        }
        #expect(ledger.admit(networks[4], isProxy: false) == .tooMany)
        #expect(try ledger.admit(Self.client("2001:db8:1::1"), isProxy: false) == .admitted)
        for network in networks.prefix(4) { ledger.hold(250, for: network) }
        #expect(ledger.excess() == [networks[0].site: 400])
        ledger.leave(networks[0])
        #expect(ledger.admit(networks[4], isProxy: false) == .tooMuch)
        for network in networks.prefix(4) { ledger.hold(-250, for: network) }
        #expect(ledger.admit(networks[4], isProxy: false) == .admitted)
    }

    @Test func `when places are short, who has most of them loses connections, and gets no further one`() throws {
        let ledger = ClientLedger(connectionsEach: 1000, places: 160)
        let calls = Locked(0)
        ledger.onExcess { calls.withLock { $0 += 1 } }
        let greedy = try (1...2).map { try Self.client("192.0.2.\($0)") }
        for client in greedy { for _ in 0..<59 { #expect(ledger.admit(client, isProxy: false) == .admitted) } }
        // From three quarters on each may have a 32nd, and never less than a few.
        for _ in 0..<2 { _ = ledger.admit(greedy[0], isProxy: false) }
        #expect(ledger.admit(greedy[0], isProxy: false) == .crowded)
        #expect(ledger.admit(greedy[0], isProxy: true) == .admitted)
        ledger.leave(greedy[0])
        #expect(ledger.crowd() == [:])
        let modest = try (1...30).map { try Self.client("203.0.113.\($0)") }
        for client in modest.prefix(29) { #expect(ledger.admit(client, isProxy: false) == .admitted) }
        #expect(calls.value == 0)
        for client in modest.suffix(1) { #expect(ledger.admit(client, isProxy: false) == .admitted) }
        #expect(calls.value == 1)
        ledger.endShedding(of: 0)
    }

    @Test func `down to a level that leaves room, and a proxy loses none`() throws {
        let ledger = ClientLedger(connectionsEach: 1000, places: 160)
        let (proxy, greedy, modest) = (try Self.client("10.0.0.1"), try Self.client("192.0.2.1"), try Self.client("192.0.2.2"))
        for _ in 0..<60 { #expect(ledger.admit(proxy, isProxy: true) == .admitted) }
        for _ in 0..<4 { #expect(ledger.admit(modest, isProxy: false) == .admitted) }
        for _ in 0..<56 { #expect(ledger.admit(greedy, isProxy: false) == .admitted) }
        #expect(ledger.crowd() == [:])
        for _ in 0..<30 { #expect(ledger.admit(proxy, isProxy: true) == .admitted) }
        // 150 of 160 are taken; 120 may stay, 90 of them the proxy's.
        #expect(ledger.crowd() == [greedy: 30])
        for _ in 0..<30 { ledger.leave(greedy) }
        #expect(ledger.crowd() == [:])
    }

    @Test func `where nobody has many, each loop gives up its part of what keeps a few places free`() throws {
        let ledger = ClientLedger(places: 160)
        let clients = try (1...40).map { try Self.client("192.0.2.\($0)") }
        for client in clients.prefix(37) { for _ in 0..<4 { #expect(ledger.admit(client, isProxy: false) == .admitted) } }
        #expect(ledger.surplus(among: 148) == 0)
        for _ in 0..<2 { #expect(ledger.admit(clients[38], isProxy: false) == .admitted) }
        #expect(ledger.crowd() == [:])
        // 150 of 160: two fewer than that are aimed at.
        #expect(ledger.surplus(among: 150) == 2)
        #expect([75, 74, 1, 0].map(ledger.surplus) == [1, 1, 1, 0])
        let proxied = ClientLedger(places: 160)
        for _ in 0..<155 { #expect(proxied.admit(clients[0], isProxy: true) == .admitted) }
        #expect(proxied.surplus(among: 155) == 0)
        #expect(proxied.admit(clients[1], isProxy: false) == .admitted)
        #expect(proxied.surplus(among: 156) == 8)
    }

    @Test func `who finds no place has others looked for, now and then`() throws {
        let ledger = ClientLedger(places: 160)
        let calls = Locked(0)
        ledger.onExcess { calls.withLock { $0 += 1 } }
        let start = Instant(nanoseconds: 1_000_000_000)
        for milliseconds in [0, 0, 99, 100, 150, 199, 200] {
            let before = calls.value
            ledger.findsNoPlace(at: start + .milliseconds(milliseconds))
            if calls.value > before { ledger.endShedding(of: 0) }
        }
        #expect(calls.value == 3)
        ledger.findsNoPlace(at: start + .milliseconds(300))
        // It is still being done.
        ledger.findsNoPlace(at: start + .milliseconds(400))
        #expect(calls.value == 4)
    }
}
