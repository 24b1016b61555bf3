@testable import Identity
import Testing
import Text

@Suite struct SessionRecordTests {
    private func values(of session: Session, changing changes: [String: String?] = [:]) -> [String?] {
        let fields = SessionRecord.fields(of: session)
        var record: [String: String] = [:]
        for index in stride(from: 0, to: fields.count, by: 2) { record[fields[index]] = fields[index + 1] }
        for (name, value) in changes { record[name] = value }
        return SessionRecord.fieldNames.map { record[$0] }
    }

    @Test(arguments: SessionKind.allCases)
    func `a session is read as it was written`(kind: SessionKind) throws {
        let session = try Sample.session(kind)
        guard case .live(let read) = SessionRecord(session.id, values: values(of: session)) else {
            Issue.record("the record is not live")
            return
        }
        #expect(read.id == session.id)
        #expect(read.userID == session.userID)
        #expect(read.username == session.username)
        #expect(read.clientID == session.clientID)
        #expect(read.kind == kind)
        #expect(read.device == session.device)
        #expect(read.createdAt == session.createdAt)
        #expect(read.authenticatedAt == session.authenticatedAt)
        #expect(read.absoluteEnd == Sample.now.adding(.seconds(90 * 86_400)))
        #expect(read.salt.storedText == session.salt.storedText)
        #expect(read.refresh == session.refresh)
        #expect(read.lastUsedAt == session.lastUsedAt)
    }

    @Test func `a rotated session is read with its last step`() throws {
        let changes = ["generation": "9", "parent": "7", "rotated": "1763870706790"]
        let session = try Sample.session()
        guard case .live(let read) = SessionRecord(session.id, values: values(of: session, changing: changes)) else {
            Issue.record("the record is not live")
            return
        }
        let step = RefreshRotation.Step(parent: 7, at: Sample.now.adding(.milliseconds(1)))
        #expect(read.refresh == RefreshRotation(mode: .rotating, generation: 9, lastStep: step))
        #expect(SessionRecord.fields(of: read).suffix(4) == ["parent", "7", "rotated", "1763870706790"])
    }

    @Test(arguments: [SessionMethod.password, .provider(.apple), .provider(.google)])
    func `how a session began is read as it was written`(method: SessionMethod) throws {
        let session = try Sample.session(method: method)
        guard case .live(let read) = SessionRecord(session.id, values: values(of: session)) else {
            Issue.record("the record is not live")
            return
        }
        #expect(read.method == method)
    }

    @Test func `a record of a time when there were only passwords says nothing`() throws {
        let session = try Sample.session(method: .provider(.apple))
        guard case .live(let read) = SessionRecord(session.id, values: values(of: session, changing: ["method": nil])) else {
            Issue.record("the record is not live")
            return
        }
        #expect(read.method == .password)
    }

    @Test(arguments: ["", "?", "passkey", "Password", "password ", "provider:", "provider:No Name"])
    func `a method of a later time is no damage, is none that there is now, and stays as it is`(stored: String) throws {
        let session = try Sample.session(method: .provider(.apple))
        guard case .live(let read) = SessionRecord(session.id, values: values(of: session, changing: ["method": stored])) else {
            Issue.record("the record is not live")
            return
        }
        #expect(read.method == .unknown(stored))
        #expect(read.method != .password)
        #expect(read.method.provider == nil)
        #expect(values(of: read) == values(of: session, changing: ["method": stored]))
    }

    @Test func `a provider that is called password is one`() throws {
        let method = SessionMethod.provider(try #require(ProviderID("password")))
        #expect(SessionMethod(stored: method.stored) == method)
    }

    @Test func `nothing at all is a missing session`() {
        guard case .missing = SessionRecord(Sample.sessionID, values: SessionRecord.fieldNames.map { _ in nil }) else {
            Issue.record("the record is not missing")
            return
        }
    }

    @Test(arguments: SessionEnd.allCases)
    func `a tombstone tells why`(reason: SessionEnd) throws {
        let session = try Sample.session()
        guard
            case .ended(let tombstone) = SessionRecord(
                session.id, values: values(of: session, changing: ["ended": reason.rawValue]))
        else {
            Issue.record("the record is no tombstone")
            return
        }
        #expect(tombstone.reason == reason)
        #expect(tombstone.userID == session.userID)
        #expect(tombstone.salt?.storedText == session.salt.storedText)
    }

    @Test func `a tombstone of a session that never was has no salt`() {
        let values = SessionRecord.fieldNames.map { $0 == "ended" ? "signed_out" : nil }
        guard case .ended(let tombstone) = SessionRecord(Sample.sessionID, values: values) else {
            Issue.record("the record is no tombstone")
            return
        }
        #expect(tombstone.salt == nil)
    }

    @Test(
        arguments: [
            "user", "client", "kind", "created", "authenticated", "absolute_end", "salt", "generation", "used",
        ], [nil, "", "?"])
    func `a damaged record is not a session`(field: String, value: String?) throws {
        let session = try Sample.session()
        guard case .malformed = SessionRecord(session.id, values: values(of: session, changing: [field: value])) else {
            Issue.record("the record passed")
            return
        }
    }

    @Test func `an unknown reason and a wrong number of values are damage`() throws {
        let session = try Sample.session()
        for values in [values(of: session, changing: ["ended": "?"]), [], values(of: session) + [nil]] {
            guard case .malformed = SessionRecord(session.id, values: values) else {
                Issue.record("the record passed")
                continue
            }
        }
    }

    @Test func `names of fields are shorter than the hash of an access token, which is how the scripts tell them apart`() {
        #expect(SessionRecord.fieldNames.allSatisfy { $0.utf8.count < 64 })
    }
}
