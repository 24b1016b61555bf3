import Testing
import Text

@testable import Identity

@Suite struct SessionExcessTests {
    /// A session of each client in this order; each ends later than the one before.
    private func sessions(_ clients: String) throws -> [Session] {
        try clients.enumerated().map { index, client in
            try Sample.session(
                SessionID(random: [UInt8](repeating: UInt8(index), count: 16)), client: "client-\(client)",
                at: Sample.now.adding(.seconds(Int64(index))))
        }
    }

    private func client(_ letter: Character, isFirstParty: Bool) -> Client {
        Client(
            id: World.clientID("client-\(letter)"), name: "Client", authentication: .publicClient, permissions: [], audiences: [],
            isFirstParty: isFirstParty)
    }

    /// Which go, by their places; the last is the newest.
    private func excess(_ clients: String, isFirstParty: Bool = true, limit: Int) throws -> [Int] {
        let live = try sessions(clients)
        let newest = try #require(live.last)
        let client = client(clients.last ?? "a", isFirstParty: isFirstParty)
        return SessionExcess.sessions(of: live.shuffled(), newest: newest.id, client: client, limit: limit).compactMap { gone in
            live.firstIndex { $0.id == gone.id }
        }
    }

    @Test(arguments: [
        ("aaaa", true, 4, []), ("aaaa", true, 3, [0]), ("aaaa", true, 1, [0, 1, 2]),
        // The client that has most gives one.
        ("abbba", true, 4, [1]), ("abab", true, 3, [0]), ("abbbc", true, 4, [1]),
        // One of others gives its own, and pushes nobody out while it has one.
        ("aaab", false, 3, [0]), ("abaab", false, 4, [1]), ("abbaaab", false, 5, [1, 2]), ("abbaaab", false, 3, [1, 2, 0, 3]),
    ])
    func `the right ones go`(_ clients: String, _ isFirstParty: Bool, _ limit: Int, _ places: [Int]) throws {
        #expect(try excess(clients, isFirstParty: isFirstParty, limit: limit) == places)
    }

    @Test func `what a browser had before its last sign-in goes first`() throws {
        var live = try sessions("aab")
        let browser = Session(
            id: SessionID(random: [UInt8](repeating: 9, count: 16)), userID: Sample.userID, owner: live[0].owner,
            clientID: World.clientID("client-a"), methods: [.password], device: DeviceDescription("Firefox"),
            createdAt: Sample.now, authenticatedAt: Sample.now, absoluteEnd: Sample.now.adding(.seconds(9_000_000)),
            lastUsedAt: Sample.now, salt: Sample.salt,
            cookie: Session.Cookie(idleLife: .seconds(9), salt: Sample.salt, predecessors: [live[2].id]), grants: [])
        live.append(browser)
        let gone = SessionExcess.sessions(
            of: live, newest: browser.id, client: client("a", isFirstParty: true), limit: 2)
        #expect(gone.map(\.id) == [live[2].id, live[0].id])
    }
}
