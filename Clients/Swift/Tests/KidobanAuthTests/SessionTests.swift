import ClientTestSupport
import Foundation
import KidobanAuth
import KidobanTransport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Sessions", .enabled(if: LiveServer.isThere))
struct SessionTests {
    @Test func `a session survives a restart, in a file for its owner only`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("private/session")
            let (app, email) = try await signedUp(storage: FileTokenStorage(file))
            _ = try await app.accessToken(forced: true)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            let restarted = try client(storage: FileTokenStorage(file))
            #expect(try await restarted.user == app.user)
            _ = try await restarted.accessToken(forced: true)
            #expect(try await restarted.reload().email == email)
            #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == ["session"])

            try await restarted.signOut()
            #expect(try await client(storage: FileTokenStorage(file)).user == nil)
        }
    }

    @Test func `a sign-out without a network is finished after a restart`() async throws {
        let storage = MemoryTokenStorage()
        let transport = ScriptedTransport()
        let (app, email) = try await signedUp(transport, storage: storage)
        let tablet = try client()
        try await tablet.signIn(email: email, password: LiveServer.password)
        await transport.follow { _ in .fail(.notConnectedToInternet) }
        try await app.signOut()
        #expect(try await app.user == nil)
        #expect(try await tablet.devices().count == 2)

        let restarted = try client(storage: storage)
        #expect(try await restarted.user == nil)
        #expect(await restarted.finishSignOuts())
        #expect(try await tablet.devices().count == 1)
    }

    @Test func `a sign-out in the middle of a refresh leaves no session behind`() async throws {
        let transport = ScriptedTransport()
        let (app, email) = try await signedUp(transport)
        let tablet = try client()
        try await tablet.signIn(email: email, password: LiveServer.password)
        let isHeld = Box(true)
        await transport.follow { request in
            while request.goes(to: "auth/refresh"), isHeld.value { try? await Task.sleep(nanoseconds: 5_000_000) }
            return .deliver
        }
        let refresh = Task { try await app.accessToken(forced: true) }
        #expect(try await eventually { await transport.count("auth/refresh") == 1 })
        try await app.signOut()
        isHeld.value = false
        await #expect(throws: KidobanError.notSignedIn) { try await refresh.value }
        #expect(try await app.user == nil)
        #expect(try await eventually { try await tablet.devices().count == 1 })
    }

    @Test func `two processes of one app share a session`() async throws {
        let storage = MemoryTokenStorage()
        let (app, _) = try await signedUp(storage: storage)
        let widget = try client(storage: storage)
        let first = try await widget.accessToken()
        _ = try await app.accessToken(forced: true)
        _ = try await app.accessToken(forced: true)
        // The widget's token is two generations old: to use it would end the session.
        let second = try await widget.accessToken(forced: true)
        #expect(second != first)
        #expect(try await widget.reload().name == "Mei")
        #expect(try await app.reload().name == "Mei")
        try await app.signOut()
        #expect(await error { () throws(KidobanError) in _ = try await widget.accessToken(forced: true) } == .notSignedIn)
    }

    @Test func `a storage that is locked signs nobody out`() async throws {
        let storage = LockableStorage()
        let (_, email) = try await signedUp(storage: storage)
        await storage.lock(true)
        let app = try client(storage: storage)
        guard case .storage = await error(of: { () throws(KidobanError) in _ = try await app.accessToken() }) else {
            Issue.record("no error of the storage")
            return
        }
        await storage.lock(false)
        #expect(try await app.reload().email == email)
    }

    @Test func `what could not be stored is stored with the next change`() async throws {
        let storage = LockableStorage()
        let (app, _) = try await signedUp(storage: storage)
        await storage.fill(true)
        _ = try await app.accessToken(forced: true)
        await storage.fill(false)
        let token = try await app.accessToken(forced: true)
        #expect(try await client(storage: storage).accessToken() == token)
    }

    @Test func `a new sign-in replaces the session, which ends`() async throws {
        let (app, email) = try await signedUp()
        try await app.signIn(email: email, password: LiveServer.password)
        #expect(try await eventually { try await app.devices().count == 1 })
    }

    @Test func `errors are values`() async throws {
        let (app, email) = try await signedUp()
        let other = try client()
        #expect(
            await error { () throws(KidobanError) in try await other.signIn(email: email, password: "another lantern") }
                == .invalidCredentials)
        #expect(
            await error { () throws(KidobanError) in _ = try await other.signUp(email: email, password: LiveServer.password) }
                == .emailTaken)
        let refused = await error { () throws(KidobanError) in _ = try await other.signUp(email: "mei", password: "short") }
        guard case .invalidInput(let issues) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(Set(issues.map(\.path)) == [["email"], ["password"]])
        #expect(await error { () throws(KidobanError) in try await other.reload() } == .notSignedIn)
        #expect(await error { () throws(KidobanError) in try await app.signOut(device: "nobody") } == .notFound)
        #expect(await error { () throws(KidobanError) in try await app.verifyEmail(code: "none") } == .invalidCode)
        #expect(
            await error { () throws(KidobanError) in
                try await other.signIn(with: .apple(idToken: "e30.e30.e30", nonce: nil))
            } == .invalidIDToken)
    }

    @Test func `the profile, devices, mails and the end of an account`() async throws {
        let (app, email) = try await signedUp()
        let photo = URL(string: "https://example.com/mei.png")
        let changed = try await app.update(.init(name: "Mei Tanaka", photoURL: photo, settings: UserSettings(theme: "light")))
        #expect(changed.name == "Mei Tanaka" && changed.photoURL == photo && changed.settings.theme == "light")
        #expect(try await app.update(.init(removesPhoto: true)).photoURL == nil)
        #expect(try await app.user?.name == "Mei Tanaka")

        let tablet = try client()
        try await tablet.signIn(email: email, password: LiveServer.password)
        let mine = try await tablet.devices()
        let phone = try #require(mine.first { !$0.isCurrent })
        #expect(mine.count == 2 && phone.createdAt <= phone.lastUsedAt && phone.lastUsedAt < phone.expiresAt)
        try await tablet.signOut(device: phone.id)
        #expect(await error { () throws(KidobanError) in try await app.reload() } == .sessionEnded(.refused))

        try await tablet.sendVerification(to: email)
        try await tablet.sendPasswordReset(to: email)
        try await tablet.deleteAccount()
        #expect(try await tablet.user == nil)
        #expect(
            await error { () throws(KidobanError) in try await app.signIn(email: email, password: LiveServer.password) }
                == .invalidCredentials)
    }

    @Test func `states tell of each sign-in and sign-out`() async throws {
        let app = try client()
        var states = app.states().makeAsyncIterator()
        #expect(await states.next() == .signedOut(nil))
        _ = try await app.signUp(email: LiveServer.newEmail(), password: LiveServer.password)
        guard case .signedIn = await states.next() else {
            Issue.record("no sign-in")
            return
        }
        try await app.signOut()
        #expect(await states.next() == .signedOut(nil))
    }

    @Test(.enabled(if: LiveServer.providerURL != nil)) func `signs in with Apple's id token`() async throws {
        let nonce = UUID().uuidString
        var request = URLRequest(url: try #require(LiveServer.providerURL).appendingPathComponent("tokens/apple"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["sub": "mei-\(nonce)", "nonce": nonce])
        let (body, _) = try await URLSession.shared.data(for: request)
        let token = try #require(try JSONDecoder().decode([String: String].self, from: body)["id_token"])
        let app = try client()
        let user = try await app.signIn(with: .apple(idToken: token, nonce: nonce, name: "Mei"))
        #expect(user.provider == "apple" && user.name == "Mei")
        #expect(try await app.reload().id == user.id)
    }
}

/// A Keychain before the first unlock, or a disk without room.
private actor LockableStorage: TokenStorage {
    private struct Locked: Error {}

    private var data: Data?
    private var isLocked = false
    private var isFull = false

    func fill(_ isFull: Bool) { self.isFull = isFull }
    func lock(_ isLocked: Bool) { self.isLocked = isLocked }

    func load() throws -> Data? {
        if isLocked { throw Locked() }
        return data
    }

    func save(_ data: Data) throws {
        if isLocked || isFull { throw Locked() }
        self.data = data
    }

    func remove() { data = nil }
}
