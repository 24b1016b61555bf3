import Testing
import Text

@testable import Identity

@Suite struct SessionRecordTests {
    private func read(_ session: Session, _ change: (inout [UInt8]) -> Void = { _ in }) -> Session? {
        var bytes = SessionRecord.bytes(of: session, accessToken: nil)
        change(&bytes)
        guard case .live(let read) = SessionRecord(session.id, bytes) else { return nil }
        return read
    }

    /// A session with everything that one can have.
    private func full() throws -> Session {
        let client = World.clientID("app")
        let confirmation = try #require(KeyConfirmation(.jwkThumbprint, thumbprint: Array(0..<32)))
        return Session(
            id: Sample.sessionID, userID: Sample.userID,
            owner: SessionOwner(
                username: "é@town.example", emailVerified: true, claims: JSONObject([.init(key: "roles", value: ["a"])])),
            clientID: client, methods: [.password, .hardwareKey], provider: .google, device: DeviceDescription("Pixel 9 ✓"),
            network: NetworkPrefix(of: "203.0.113.77"), createdAt: Sample.now, authenticatedAt: Sample.now.adding(.seconds(-5)),
            absoluteEnd: Sample.now.adding(.seconds(90 * 86_400)), lastUsedAt: Sample.now.adding(.seconds(3)), salt: Sample.salt,
            cookie: Session.Cookie(idleLife: .seconds(1800), salt: SessionSalt(random: Array(1...16))),
            grants: [
                Grant(
                    id: .first, clientID: client,
                    refresh: RefreshRotation(
                        mode: .rotating, generation: 9, lastStep: RefreshRotation.Step(parent: 7, at: Sample.now))),
                Grant(
                    id: GrantID(4_000_000_000), clientID: World.clientID("shop"), scopes: ["openid", "email"],
                    audiences: ["https://a.example", "b"], refresh: RefreshRotation(mode: .static), confirmation: confirmation),
                Grant(id: GrantID(3), clientID: World.clientID("kiosk"), scopes: [], audiences: [], refresh: nil),
            ])
    }

    @Test func `a session is read as it was written, with all that it can have`() throws {
        let session = try full()
        let found = read(session)
        let read = try #require(found)
        #expect(read.userID == session.userID)
        #expect(read.owner == session.owner)
        #expect(read.clientID == session.clientID)
        #expect(read.methods == session.methods)
        #expect(read.provider == .google)
        #expect(read.device == session.device)
        #expect(read.network == session.network)
        #expect(read.createdAt == session.createdAt)
        #expect(read.authenticatedAt == session.authenticatedAt)
        #expect(read.absoluteEnd == session.absoluteEnd)
        #expect(read.lastUsedAt == session.lastUsedAt)
        #expect(read.salt.storedText == session.salt.storedText)
        #expect(read.cookie?.idleLife == .seconds(1800))
        #expect(read.cookie?.salt?.storedText == session.cookie?.salt?.storedText)
        #expect(read.grants == session.grants)
    }

    @Test func `a session of a browser has a cookie and no grant`() throws {
        let read = try #require(read(try Sample.session(refresh: nil)))
        #expect(read.isHeldByCookie && read.grants.isEmpty)
        let app = try #require(self.read(try Sample.session()))
        #expect(!app.isHeldByCookie && app.cookie?.idleLife == nil)
    }

    @Test func `a user may have no address, and methods may be of a later version`() throws {
        let later = try #require(AuthenticationMethod("x-later"))
        let session = Session(
            id: Sample.sessionID, userID: Sample.userID, owner: SessionOwner(username: nil, emailVerified: false),
            clientID: World.clientID("app"), methods: [later], device: DeviceDescription(""), createdAt: Sample.now,
            authenticatedAt: Sample.now, absoluteEnd: Sample.now, lastUsedAt: Sample.now, salt: Sample.salt, grants: [])
        let found = read(session)
        let read = try #require(found)
        #expect(read.username == nil)
        #expect(read.methods == [later])
        #expect(read.provider == nil && read.network == nil)
    }

    @Test func `nothing at all is a missing session`() {
        guard case .missing = SessionRecord(Sample.sessionID, nil) else {
            Issue.record("the record is not missing")
            return
        }
    }

    @Test func `what ends too early is damage, and so is what we did not write`() throws {
        let bytes = SessionRecord.bytes(of: try full(), accessToken: nil)
        // The last grant has nothing behind its flags, so that every cut goes through something.
        for length in 0..<bytes.count {
            if case .live = SessionRecord(Sample.sessionID, Array(bytes.prefix(length))) {
                let grants = SessionRecord(Sample.sessionID, Array(bytes.prefix(length)))
                // Between two grants a record looks whole; nothing cuts one there.
                guard case .live(let session) = grants, session.grants.count < 3 else {
                    Issue.record("\(length) bytes passed")
                    continue
                }
            }
        }
        for mark in [0, 3, 255] as [UInt8] {
            guard case .malformed = SessionRecord(Sample.sessionID, [mark] + bytes.dropFirst()) else {
                Issue.record("the record passed")
                continue
            }
        }
    }

    @Test func `a session of an app is small`() throws {
        let token = IssuedAccessToken(hash: AccessTokenHash(of: "a"), expiresAt: Sample.now)
        let bytes = SessionRecord.bytes(
            of: try Sample.session(device: "okhttp/4.12.0", network: NetworkPrefix(of: "203.0.113.77")), accessToken: token)
        #expect(bytes.count <= 200)
    }
}
