import TestSupport
import Testing
import Text

/// A user who has signed up, and the tokens of one of the user's sessions.
struct Account: Sendable {
    static let password = "correct horse battery"

    let id: String
    let email: String
    let accessToken: String
    let refreshToken: String

    /// From an answer of sign-up or sign-in.
    init(_ response: TestHTTPResponse, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let body = response.json
        id = try #require(body["user"]?["id"]?.stringValue, "\(response.text)", sourceLocation: sourceLocation)
        email = try #require(body["user"]?["email"]?.stringValue, sourceLocation: sourceLocation)
        accessToken = try #require(body["accessToken"]?.stringValue, sourceLocation: sourceLocation)
        refreshToken = try #require(body["refreshToken"]?.stringValue, sourceLocation: sourceLocation)
    }

    /// An address that nobody has yet.
    static func newEmail() -> String {
        "user-\(String(UInt64.random(in: .min ... .max), radix: 36))@example.com"
    }
}

extension TestHTTPClient {
    /// Signs somebody new up.
    func signUp(rotates: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Account {
        let body: JSONValue = [
            "email": .string(Account.newEmail()), "password": .string(Account.password), "rotate": .bool(rotates),
        ]
        return try Account(await post("/auth/register", body), sourceLocation: sourceLocation)
    }

    /// Signs the user in once more.
    func signIn(
        _ account: Account, rotates: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Account {
        let body: JSONValue = [
            "email": .string(account.email), "password": .string(Account.password), "rotate": .bool(rotates),
        ]
        return try Account(await post("/auth/login", body), sourceLocation: sourceLocation)
    }
}

extension String {
    /// Of a token: the same with another signature, which is still well formed.
    var withOtherEnd: String { dropLast(2) + (hasSuffix("AA") ? "BA" : "AA") }
}

extension Installation {
    /// Registers a client by the command line.
    func addClient(_ name: String = "backend", _ options: String...) async throws -> Credentials {
        let id = "\(name)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let kind = options.contains("--introspect") ? [] : ["--service"]
        let output = try await command(["client", "add", name, "--id", id] + kind + options)
        // Whose tokens it sees is said as well.
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("client_") }
            .map { $0.split(separator: "=", maxSplits: 1).last.map(String.init) ?? "" }
        guard lines.count == 2 else { throw Failure(reason: output) }
        return Credentials(id: lines[0], secret: lines[1])
    }
}
