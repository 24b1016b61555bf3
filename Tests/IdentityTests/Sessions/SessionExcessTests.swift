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

    /// Which go, by their places; the last is the newest.
    private func excess(_ clients: String, isSignIn: Bool, limit: Int) throws -> [Int] {
        let live = try sessions(clients)
        let newest = try #require(live.last)
        return SessionExcess.sessions(of: live.shuffled(), newest: newest, isSignIn: isSignIn, limit: limit).compactMap { gone in
            live.firstIndex { $0.id == gone.id }
        }
    }

    @Test(arguments: [
        ("aaaa", true, 4, []), ("aaaa", true, 3, [0]), ("aaaa", true, 1, [0, 1, 2]),
        // The client that has most gives one.
        ("abbba", true, 4, [1]), ("abab", true, 3, [0]), ("abbbc", true, 4, [1]),
        // What nobody has signed in for takes the place of its client's own, and pushes nobody out while there is one.
        ("aaab", false, 3, [0]), ("abaab", false, 4, [1]), ("abbaaab", false, 5, [1, 2]), ("abbaaab", false, 3, [1, 2, 0, 3]),
    ])
    func `the right ones go`(_ clients: String, _ isSignIn: Bool, _ limit: Int, _ places: [Int]) throws {
        #expect(try excess(clients, isSignIn: isSignIn, limit: limit) == places)
    }
}
