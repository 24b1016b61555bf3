import Identity
import Testing
import Text

/// What goes into the scripts and what is read from their replies.
@Suite struct SessionScriptTests {
    private let token = IssuedAccessToken(hash: AccessTokenHash(of: "a"), expiresAt: Sample.now.adding(.seconds(900)))
    private let hash = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

    @Test func `creation takes life, first access token and record`() throws {
        let arguments = CreateSessionScript.arguments(
            try Sample.session(), idle: .seconds(60), accessToken: token, at: Sample.now
        )
        #expect(arguments.prefix(5) == ["1763870706789", "60000", "1771646706789", hash, "1763871606789"])
        #expect(arguments.dropFirst(5).prefix(2) == ["user", Sample.userID.description])
        #expect(CreateSessionScript.key(try Sample.session()) == "session:AAECAwQFBgcICQoLDA0ODw")
    }

    @Test func `a cookie session has no access token`() throws {
        let arguments = CreateSessionScript.arguments(
            try Sample.session(.cookie), idle: .seconds(60), accessToken: nil, at: Sample.now
        )
        #expect(arguments[3...4] == ["", "0"])
    }

    @Test func `a refresh takes its arguments in order`() {
        let request = RefreshSessionScript.Request(
            sessionID: Sample.sessionID, generation: 7, wantsRotation: true, accessToken: token
        )
        let arguments = RefreshSessionScript.arguments(
            request, policy: .standard, idle: .seconds(60), capacity: 5, tombstone: .seconds(2), at: Sample.now
        )
        #expect(
            arguments == [
                "7", "1763870706789", "60000", "86400000", "60000", hash, "1763871606789", "1", "5", "2000", "0",
            ])
    }

    @Test func `the reply to a refresh is read`() {
        func reply(_ name: String, _ generation: Int64, _ reason: String = "") -> RefreshSessionScript.Outcome? {
            RefreshSessionScript.Reply(outcome: name, generation: generation, revoked: [], reason: reason)?.outcome
        }
        #expect(reply("rotate", 2) == .issued(.rotate, generation: 2))
        #expect(reply("replay", 3) == .issued(.replay, generation: 3))
        #expect(reply("recover", 4) == .issued(.recover, generation: 4))
        #expect(reply("keep", 1) == .issued(.keep, generation: 1))
        #expect(reply("reuse", 0) == .reuse)
        #expect(reply("missing", 0) == .missing)
        #expect(reply("ended", 0, "user_deleted") == .ended(.userDeleted))
        #expect(reply("ended", 0, "?") == nil)
        #expect(reply("repeat", 2, hash) == .repeated(token.hash, generation: 2))
        #expect(reply("repeat", 2) == nil)
        #expect(reply("repeat", -1, hash) == nil)
        #expect(reply("?", 1) == nil)
        #expect(reply("rotate", -1) == nil)
        #expect(reply("rotate", 4_294_967_296) == nil)
    }

    @Test(arguments: ["", "00", String(repeating: "G", count: 64), String(repeating: "A", count: 64)])
    func `a hash that is none spoils the reply`(hash: String) {
        #expect(RefreshSessionScript.Reply(outcome: "reuse", generation: 0, revoked: [hash], reason: "") == nil)
        #expect(EndSessionScript.Reply(outcome: "ended", userID: "", revoked: [hash], unrecorded: "") == nil)
    }

    @Test func `an end leaves a short tombstone, and a long one if the user is gone`() {
        let now = String(Sample.now.milliseconds)
        #expect(EndSessionScript.arguments(reason: .signedOut, at: Sample.now) == ["signed_out", "60000", "0", now, "0"])
        #expect(EndSessionScript.arguments(reason: .userDeleted, at: Sample.now) == ["user_deleted", "60000", "1", now, "0"])
    }

    @Test func `the reply to an end is read`() {
        let now = String(Sample.now.milliseconds)
        let ended = EndSessionScript.Reply(outcome: "ended", userID: Sample.userID.description, revoked: [hash], unrecorded: now)
        #expect(ended?.outcome == .ended)
        #expect(ended?.userID == Sample.userID)
        #expect(ended?.revoked == [token.hash])
        #expect(ended?.unrecordedSince == Sample.now)
        #expect(EndSessionScript.Reply(outcome: "ended", userID: "", revoked: [], unrecorded: "x") == nil)
        #expect(EndSessionScript.Reply(outcome: "missing", userID: "", revoked: [], unrecorded: "")?.userID == nil)
        #expect(EndSessionScript.Reply(outcome: "?", userID: "", revoked: [], unrecorded: "") == nil)
    }

    @Test func `a cookie session is written with its own idle life, the others without`() throws {
        func arguments(_ kind: SessionKind) throws -> [String] {
            CreateSessionScript.arguments(try Sample.session(kind), idle: .seconds(60), accessToken: nil, at: Sample.now)
        }
        #expect(try arguments(.cookie).suffix(2) == ["idle", "2592000000"])
        for kind in [SessionKind.rotating, .static] { #expect(try !arguments(kind).contains("idle")) }
        #expect(TouchSessionScript.arguments(at: Sample.now) == ["1763870706789"])
    }

    @Test func `the index lists the session by its end`() throws {
        #expect(IndexSessionScript.key(Sample.userID) == "user:\(Sample.userID):sessions")
        #expect(
            IndexSessionScript.arguments(try Sample.session(), at: Sample.now) == [
                "1763870706789", "AAECAwQFBgcICQoLDA0ODw", "1771646706789",
            ])
    }
}
