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

    @Test func `a session keeps it, and older records have none`() throws {
        let session = Session(
            id: Sample.sessionID, userID: Sample.userID, username: "a@b.example", clientID: try Sample.clientID(),
            kind: .rotating, device: DeviceDescription(""), network: NetworkPrefix(of: "203.0.113.77"), salt: Sample.salt,
            lifetime: .standard,
            beginningAt: Sample.now)
        #expect(try read(session)?.network?.text == "203.0.113.0/24")
        #expect(try read(try Sample.session())?.network == nil)
    }

    private func read(_ session: Session) throws -> Session? {
        let fields = SessionRecord.fields(of: session)
        let pairs = stride(from: 0, to: fields.count, by: 2).map { (fields[$0], fields[$0 + 1]) }
        let stored = Dictionary(uniqueKeysWithValues: pairs)
        let record = SessionRecord(session.id, values: SessionRecord.fieldNames.map { stored[$0] })
        guard case .live(let session) = record else { return nil }
        return session
    }
}
