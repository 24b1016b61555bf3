import Crypto
import Identity
import Networking
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
        #expect(try Command(parsing: ["doctor"]) == .doctor(.text))
        #expect(try Command(parsing: ["doctor", "--json"]) == .doctor(.json))
        #expect(try Command(parsing: ["config"]) == .config(.inForce))
        #expect(try Command(parsing: ["config", "--markdown"]) == .config(.markdown))
        #expect(try Command(parsing: ["client", "list"]) == .client(.list))
        #expect(try Command(parsing: ["client", "remove", "app-backend"]) == .client(.remove(id)))
        let day = Duration.seconds(24 * 3600)
        for (words, overlap) in [
            ([], day), (["--overlap", "0"], .zero), (["--overlap=90m"], .seconds(5400)), (["--overlap", "90d"], day * 90),
        ] {
            #expect(
                try Command(parsing: ["client", "rotate-secret", "app-backend"] + words)
                    == .client(.rotateSecret(id, overlap: overlap)))
        }
        #expect(try Command(parsing: ["openapi"]) == .openAPI)
        #expect(try Command(parsing: ["version"]) == .version)
        #expect(try Command(parsing: ["dev-issuer"]) == .devIssuer(DevIssuerOptions()))
        #expect(try Command(parsing: ["explain", "id-token"]) == .explainIDToken(IDTokenQuestion()))
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

    @Test func `a token to explain is an argument, a file or at the standard input`() throws {
        func question(_ arguments: String...) throws -> IDTokenQuestion? {
            guard case .explainIDToken(let question) = try Command(parsing: ["explain", "id-token"] + arguments) else {
                return nil
            }
            return question
        }
        #expect(try question()?.source == .standardInput)
        #expect(try question("-")?.source == .standardInput)
        #expect(try question("a.b.c")?.source == .argument("a.b.c"))
        #expect(try question("--file", "/t")?.source == .file(path: "/t"))
        let full = try question("a.b.c", "--provider", "apple", "--nonce=n")
        #expect(full?.provider == .apple && full?.nonce == "n")
        let both = failure("explain", "id-token", "a.b.c", "--file", "/t")?.problem
        #expect(both == .contradiction("TOKEN", "--file"))
        guard case .invalid("--provider", _) = failure("explain", "id-token", "--provider", "Ap ple")?.problem else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: ["0.0.0.0:8090", ":8090", "192.0.2.1:1", "[::]:1", "8090", "localhost:1"])
    func `the issuer for development listens on this machine only`(_ address: String) {
        guard case .invalid("--listen", _) = failure("dev-issuer", "--listen", address)?.problem else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: ["127.0.0.1:0", "127.1.2.3:8091", "[::1]:8090"])
    func `any address of the loopback will do`(_ address: String) throws {
        guard case .devIssuer(let options) = try Command(parsing: ["dev-issuer", "--listen", address]) else { return }
        #expect(options.listen.description == address)
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
        for overlap in ["1", "-1h", "91d", "h", "1y"] {
            guard case .invalid("--overlap", _) = failure("client", "rotate-secret", "x", "--overlap=\(overlap)")?.problem else {
                Issue.record("\(overlap) was taken")
                continue
            }
        }
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
