import Testing

@testable import Identity

@Suite struct NetworkPrefixTests {
    @Test(arguments: [
        ("203.0.113.77", "203.0.113.0/24"), ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1234:5678:9abc::1", "2001:db8:1234::/48"), ("::1", "::/48"),
    ])
    func `what is left of an address names the network and not who is in it`(_ address: String, _ prefix: String) {
        #expect(NetworkPrefix(of: address)?.text == prefix)
    }

    @Test(arguments: [nil, "", "unix", "203.0.113", "example.com"])
    func `what is no address has none`(_ address: String?) {
        #expect(NetworkPrefix(of: address) == nil)
    }

    @Test func `a session keeps it where there is one`() throws {
        let session = try Sample.session(network: NetworkPrefix(of: "203.0.113.77"))
        #expect(read(session)?.network?.text == "203.0.113.0/24")
        #expect(read(try Sample.session())?.network == nil)
    }

    private func read(_ session: Session) -> Session? {
        let record = SessionRecord(session.id, SessionRecord.bytes(of: session, accessToken: nil))
        guard case .live(let session) = record else { return nil }
        return session
    }
}
