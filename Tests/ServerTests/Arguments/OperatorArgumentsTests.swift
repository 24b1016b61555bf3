import Crypto
import Identity
import Testing
import Text

@testable import Server

/// What `kidoban user`, `audit` and `keys` are asked.
@Suite struct OperatorArgumentsTests {
    private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

    private func failure(_ arguments: String...) -> ArgumentsError.Problem? {
        do throws(ArgumentsError) {
            _ = try Command(parsing: arguments)
            return nil
        } catch {
            return error.problem
        }
    }

    private func refused(_ arguments: String...) -> String? {
        do throws(ArgumentsError) {
            _ = try Command(parsing: arguments)
            return nil
        } catch {
            guard case .invalid(let name, _) = error.problem else { return nil }
            return name
        }
    }

    @Test func `sessions are pruned after a question, without one, or only counted`() throws {
        #expect(try Command(parsing: ["sessions", "prune"]) == .sessions(.prune(.asks)))
        #expect(try Command(parsing: ["sessions", "prune", "--yes"]) == .sessions(.prune(.given)))
        #expect(try Command(parsing: ["sessions", "prune", "--dry-run"]) == .sessions(.prune(.countsOnly)))
        #expect(failure("sessions", "prune", "--yes", "--dry-run") == .contradiction("--dry-run", "--yes"))
        #expect(failure("sessions", "prune", "mei@example.com") == .unexpected("mei@example.com"))
        #expect(failure("sessions", "purge") == .unknownCommand("purge", nearest: "prune"))
    }

    @Test func `the sessions of a provider are ended after a question, without one, or only counted`() throws {
        let apple = try #require(ProviderID("apple"))
        let command = ["sessions", "end", "--provider", "apple"]
        #expect(try Command(parsing: command) == .sessions(.endBegunWith(apple, .asks)))
        #expect(try Command(parsing: command + ["--yes"]) == .sessions(.endBegunWith(apple, .given)))
        #expect(try Command(parsing: command + ["--dry-run"]) == .sessions(.endBegunWith(apple, .countsOnly)))
        #expect(
            failure("sessions", "end", "--provider", "apple", "AAECAwQFBgcICQoLDA0ODw") == .unexpected("AAECAwQFBgcICQoLDA0ODw"))
        #expect(refused("sessions", "end", "--provider", "A b") == "--provider")
        #expect(failure("sessions", "end") == .missing("SESSION"))
    }

    @Test func `another address is given with who gets it`() throws {
        let id = UserReference.id(try #require(UserID(Self.id)))
        let new = try EmailAddress("New@Example.com")
        #expect(
            try Command(parsing: ["user", "change-email", Self.id, "New@Example.com"])
                == .user(.changeEmail(id, new, isProved: false)))
        #expect(
            try Command(parsing: ["user", "change-email", Self.id, "New@Example.com", "--verified"])
                == .user(.changeEmail(id, new, isProved: true)))
        #expect(failure("user", "change-email", Self.id) == .missing("NEW"))
        #expect(refused("user", "change-email", Self.id, "new") == "NEW")
        #expect(refused("user", "change-email", "mei", "new@example.com") == "USER")
    }

    @Test func `a user is named by id or by address`() throws {
        let id = UserReference.id(try #require(UserID(Self.id)))
        let email = UserReference.email(try EmailAddress("Mei@Example.com"))
        #expect(try Command(parsing: ["user", "disable", Self.id]) == .user(.disable(id)))
        #expect(try Command(parsing: ["user", "enable", "Mei@Example.com"]) == .user(.enable(email)))
        #expect(try Command(parsing: ["user", "sign-out", Self.id]) == .user(.signOut(id)))
        #expect(try Command(parsing: ["user", "export", Self.id]) == .user(.export(id)))
        #expect(try Command(parsing: ["user", "show", Self.id, "--json"]) == .user(.show(id, asJSON: true)))
        #expect(try Command(parsing: ["user", "show", Self.id]) == .user(.show(id, asJSON: false)))
        #expect(try Command(parsing: ["user", "delete", Self.id]) == .user(.delete(id, isConfirmed: false)))
        #expect(try Command(parsing: ["user", "delete", "--yes", Self.id]) == .user(.delete(id, isConfirmed: true)))
        for command in ["disable", "enable", "sign-out", "delete", "export", "show"] {
            #expect(refused("user", command, "mei") == "USER")
            #expect(failure("user", command) == .missing("USER"))
        }
    }

    @Test func `a user is made with what is said of him, and no password is among the arguments`() throws {
        var new = UserCreation(email: "mei@example.com")
        #expect(try Command(parsing: ["user", "create", "mei@example.com"]) == .user(.create(new)))
        #expect(new.hasPassword)
        new.displayName = "Mei"
        new.isVerified = true
        new.hasPassword = false
        let arguments = ["user", "create", "mei@example.com", "--name", " Mei ", "--verified", "--no-password"]
        #expect(try Command(parsing: arguments) == .user(.create(new)))
        #expect(refused("user", "create", "mei") == "EMAIL")
        #expect(refused("user", "create", "mei@example.com", "--name", "a\nb") == "--name")
        #expect(
            failure("user", "create", "mei@example.com", "--password", "x")
                == .unknownOption("--password", nearest: "--no-password"))
        #expect(failure("user", "create", "mei@example.com", "hunter2") == .unexpected("hunter2"))
    }

    @Test func `users are found by the beginning of an address or by id`() throws {
        var search = UserSearch(.prefix(try #require(EmailPrefix("mei%_"))))
        #expect(try Command(parsing: ["user", "find", "Mei%_"]) == .user(.find(search)))
        search.limit = 5
        search.asJSON = true
        #expect(try Command(parsing: ["user", "find", "mei%_", "--limit", "5", "--json"]) == .user(.find(search)))
        let byID = UserSearch(.id(try #require(UserID(Self.id))))
        #expect(try Command(parsing: ["user", "find", Self.id]) == .user(.find(byID)))
        for limit in ["0", "1001", "-1", "x", "+5"] { #expect(refused("user", "find", "mei", "--limit", limit) == "--limit") }
        #expect(try Command(parsing: ["user", "find", "mei", "--limit", "1000"]) != .version)
        #expect(refused("user", "find", "") == "PREFIX")
        #expect(refused("user", "find", "é") == "PREFIX")
    }

    @Test func `events are asked for by user, kind and time`() throws {
        #expect(try Command(parsing: ["audit"]) == .audit(AuditQuestion()))
        var question = AuditQuestion()
        question.user = .email(try EmailAddress("mei@example.com"))
        question.kind = "sign_in_failed"
        question.since = .ago(.seconds(86_400))
        question.until = .at(try #require(Timestamp(iso8601: "2026-03-01T00:00:00Z")))
        question.limit = 7
        question.asJSON = true
        let arguments = [
            "audit", "--user", "mei@example.com", "--kind", "sign_in_failed", "--since", "24h", "--until",
            "2026-03-01T00:00:00Z", "--limit", "7", "--json",
        ]
        #expect(try Command(parsing: arguments) == .audit(question))
        let now = Timestamp(milliseconds: 86_400_000)
        #expect(question.since?.instant(at: now) == Timestamp(milliseconds: 0))
        #expect(refused("audit", "--since", "yesterday") == "--since")
        #expect(refused("audit", "--until", "2026-03-01") == "--until")
        guard case .unknownKind("sign_in_faild", nearest: "sign_in_failed", _)? = failure("audit", "--kind", "sign_in_faild")
        else {
            Issue.record("a misspelt kind is taken")
            return
        }
        guard case .unknownKind(_, nearest: nil, let known)? = failure("audit", "--kind", "x") else {
            Issue.record("a kind that there is not is taken")
            return
        }
        #expect(known.contains("user_signed_in"))
        #expect(failure("audit", "--all", "--limit", "3") == .contradiction("--all", "--limit"))
        guard case .audit(let all) = try Command(parsing: ["audit", "--all", "--request", "r1", "--operator", "mei"]) else {
            return
        }
        #expect(all.limit == nil && all.request == "r1" && all.operatorName == "mei")
        #expect(refused("audit", "--user", "mei") == "--user")
        #expect(failure("audit", "--follow", "--until", "1h") == .contradiction("--follow", "--until"))
        #expect(failure("audit", "now") == .unexpected("now"))
    }

    @Test func `keys are listed, replaced and taken out`() throws {
        #expect(try Command(parsing: ["keys", "list"]) == .keys(.list(asJSON: false)))
        #expect(try Command(parsing: ["keys", "list", "--json"]) == .keys(.list(asJSON: true)))
        #expect(try Command(parsing: ["keys", "rotate"]) == .keys(.rotate(nil)))
        #expect(try Command(parsing: ["keys", "rotate", "RS256"]) == .keys(.rotate(.rs256)))
        #expect(try Command(parsing: ["keys", "retire", "abc"]) == .keys(.retire(kid: "abc")))
        let hyphened = "-q0JCBTMqjIXFJt5mfm9ZQk0mFufj3y0Gh16RmLKGzU"
        #expect(try Command(parsing: ["keys", "retire", hyphened]) == .keys(.retire(kid: hyphened)))
        #expect(failure("keys", "retire", "-q") == .unknownOption("-q", nearest: nil))
        #expect(refused("keys", "rotate", "none") == "ALGORITHM")
        #expect(failure("keys", "rotate", "ES256", "RS256") == .unexpected("RS256"))
        #expect(failure("keys", "retire") == .missing("KID"))
    }

    @Test func `the master key is needed where a key may be made`() throws {
        for words in [["keys", "rotate"], ["keys", "retire", "x"], ["serve"]] {
            #expect(try Command(parsing: words).needsMasterKey)
        }
        for words in [["keys", "list"], ["user", "disable", Self.id], ["audit"], ["migrate"]] {
            #expect(try !Command(parsing: words).needsMasterKey)
        }
    }
}
