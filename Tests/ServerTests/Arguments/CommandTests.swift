import Crypto
import Identity
import Testing

@testable import Server

@Suite struct CommandTests {
    private func failure(_ arguments: String...) -> ArgumentsError? {
        do throws(ArgumentsError) {
            _ = try Command(parsing: arguments)
            return nil
        } catch {
            return error
        }
    }

    private func newClient(_ arguments: String...) throws -> NewClient? {
        guard case .client(.add(let client)) = try Command(parsing: ["client", "add"] + arguments) else { return nil }
        return client
    }

    @Test func `each command is known by its name`() throws {
        let id = try #require(ClientID("app-backend"))
        #expect(try Command(parsing: ["serve"]) == .serve)
        #expect(try Command(parsing: ["migrate"]) == .migrate)
        #expect(try Command(parsing: ["health"]) == .health)
        #expect(try Command(parsing: ["config"]) == .config(.inForce))
        #expect(try Command(parsing: ["config", "--markdown"]) == .config(.markdown))
        #expect(try Command(parsing: ["client", "list"]) == .client(.list))
        #expect(try Command(parsing: ["client", "remove", "app-backend"]) == .client(.remove(id)))
        #expect(try Command(parsing: ["client", "rotate-secret", "app-backend"]) == .client(.rotateSecret(id)))
        #expect(try Command(parsing: ["openapi"]) == .openAPI)
        #expect(try Command(parsing: ["version"]) == .version)
        #expect(try Command(parsing: ["--version"]) == .version)
    }

    @Test(arguments: [
        (["--help"], HelpTopic.program), (["-h"], .program), (["help"], .program), (["help", "serve"], .serve),
        (["help", "client"], .client), (["help", "client", "add"], .clientAdd), (["serve", "--help"], .serve),
        (["client", "--help"], .client), (["client", "add", "x", "--bogus", "-h"], .clientAdd),
        (["client", "rotate-secret", "--help"], .clientRotateSecret), (["help", "--help"], .help),
        (["version", "--help"], .version),
    ])
    func `help is everywhere`(_ arguments: [String], _ topic: HelpTopic) throws {
        #expect(try Command(parsing: arguments) == .help(topic))
    }

    @Test func `a client is added with what is said of it`() throws {
        let client = try newClient(
            "--introspect", "App backend", "--audience", "https://a.example.com", "--audience=b", "--audience", "b", "--id",
            "app-1",
            "--token-format=jwt", "--algorithm", "RS256")
        #expect(client?.name == "App backend")
        #expect(client?.id == ClientID("app-1"))
        #expect(client?.permissions == [.introspect])
        #expect(client?.audiences == ["https://a.example.com", "b"])
        #expect(client?.tokenFormat == .jwt(.rs256))
    }

    @Test func `a client of which nothing is said gets the defaults`() throws {
        let client = try #require(try newClient("app"))
        #expect(client == NewClient(name: "app"))
        #expect(client.permissions.isEmpty)
        #expect(client.accessTokenFormat(signedWith: .es256) == .jwtES256)
        #expect(client.accessTokenFormat(signedWith: .rs256) == .jwtRS256)
    }

    @Test func `the format of tokens is that of the client before that of the configuration`() throws {
        #expect(try newClient("a", "--algorithm", "ES256")?.accessTokenFormat(signedWith: .rs256) == .jwtES256)
        #expect(try newClient("a", "--algorithm", "RS256")?.accessTokenFormat(signedWith: .es256) == .jwtRS256)
        #expect(try newClient("a", "--token-format", "opaque")?.accessTokenFormat(signedWith: .rs256) == .opaque)
    }

    @Test func `after two hyphens nothing is an option`() throws {
        #expect(try newClient("--introspect", "--", "--help")?.name == "--help")
        #expect(try newClient("--", "-x")?.name == "-x")
    }

    @Test func `an unknown command suggests one that is near`() {
        #expect(failure("srve")?.problem == .unknownCommand("srve", nearest: "serve"))
        #expect(failure("clients")?.problem == .unknownCommand("clients", nearest: "client"))
        #expect(failure("frobnicate")?.problem == .unknownCommand("frobnicate", nearest: nil))
        #expect(failure("client", "rotate")?.problem == .unknownCommand("rotate", nearest: nil))
        #expect(failure("client", "rotate-secrets")?.problem == .unknownCommand("rotate-secrets", nearest: "rotate-secret"))
        #expect(failure("help", "serv")?.problem == .unknownCommand("serv", nearest: "serve"))
        #expect(failure()?.problem == .noCommand)
        #expect(failure("client")?.problem == .noCommand)
    }

    @Test func `an unknown option suggests one that is near, and its value is not repeated`() {
        #expect(failure("--versoin")?.problem == .unknownOption("--versoin", nearest: "--version"))
        #expect(failure("serve", "--master-key=secret")?.problem == .unknownOption("--master-key", nearest: nil))
        #expect(failure("client", "add", "x", "--introspct")?.problem == .unknownOption("--introspct", nearest: "--introspect"))
        #expect(failure("client", "--bogus=secret")?.problem == .unknownOption("--bogus", nearest: nil))
        #expect(failure("config", "--mark")?.problem == .unknownOption("--mark", nearest: "--markdown"))
    }

    @Test func `what is missing or too much is named`() {
        #expect(failure("client", "add")?.problem == .missing("NAME"))
        #expect(failure("client", "remove")?.problem == .missing("ID"))
        #expect(failure("client", "add", "a", "b")?.problem == .unexpected("b"))
        #expect(failure("serve", "now")?.problem == .unexpected("now"))
        #expect(failure("client", "list", "all")?.problem == .unexpected("all"))
        #expect(failure("client", "add", "a", "--id")?.problem == .missingValue("--id"))
        #expect(failure("client", "add", "a", "--id=")?.problem == .missingValue("--id"))
        #expect(failure("client", "add", "a", "--introspect=yes")?.problem == .needlessValue("--introspect"))
        #expect(failure("client", "add", "a", "--id", "b", "--id", "c")?.problem == .repeated("--id"))
        #expect(failure("client", "add", "a", "--introspect", "--introspect")?.problem == .repeated("--introspect"))
    }

    @Test(arguments: [
        ("--id", "a b"), ("--id", "018f3f6e-7b7a-7c3e-8f00-0123456789ab"), ("--audience", "a b"), ("--audience", "a\"b"),
        ("--token-format", "saml"), ("--algorithm", "none"), ("--algorithm", "PS256"), ("--algorithm", "es256"),
    ])
    func `an option with a bad value is refused`(_ option: String, _ value: String) {
        guard case .invalid(let name, _) = failure("client", "add", "app", option, value)?.problem else {
            Issue.record("not refused")
            return
        }
        #expect(name == option)
    }

    @Test func `a name must be printable and of a sensible length`() throws {
        for name in ["", "a\nb", "a\u{1B}b", "a\u{202E}b", String(repeating: "a", count: 201)] {
            #expect(failure("client", "add", name) != nil)
        }
        #expect(try newClient("木戸番 backend (Tōkyō)")?.name == "木戸番 backend (Tōkyō)")
        #expect(try newClient(String(repeating: "a", count: 200)) != nil)
    }

    @Test func `opaque tokens have no algorithm`() {
        let problem = failure("client", "add", "a", "--token-format", "opaque", "--algorithm", "ES256")?.problem
        #expect(problem == .contradiction("--algorithm", "--token-format opaque"))
    }

    @Test func `a failure is told on one line`() throws {
        let hostile = try #require(failure("x\u{1B}[2J\n" + String(repeating: "y", count: 10_000)))
        #expect(!hostile.description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(hostile.description.utf8.count < 200)
    }
}
