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
        #expect(try Command(parsing: ["config", "--texts", "ja"]) == .config(.texts("ja")))
        #expect(try Command(parsing: ["client", "list"]) == .client(.list(asJSON: false)))
        #expect(try Command(parsing: ["client", "show", "app-backend", "--json"]) == .client(.show(id, asJSON: true)))
        #expect(try Command(parsing: ["client", "disable", "app-backend"]) == .client(.disable(id)))
        #expect(try Command(parsing: ["client", "enable", "app-backend"]) == .client(.enable(id)))
        #expect(try Command(parsing: ["client", "delete", "app-backend"]) == .client(.delete(id)))
        let day = Duration.seconds(24 * 3600)
        for (words, overlap) in [
            ([], day), (["--now"], .zero), (["--overlap", "0"], .zero), (["--overlap=90m"], .seconds(5400)),
            (["--overlap", "90d"], day * 90),
        ] {
            #expect(
                try Command(parsing: ["client", "rotate", "app-backend"] + words)
                    == .client(.rotate(id, .replace(overlap: overlap))))
        }
        #expect(
            try Command(parsing: ["client", "rotate", "app-backend", "--end-previous"]) == .client(.rotate(id, .endPrevious)))
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
        (["client", "rotate", "--help"], .clientRotate), (["help", "--help"], .help),
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

    @Test func `after two hyphens nothing is an option`() throws {
        #expect(try newClient("--introspect", "--", "--help")?.name == "--help")
        #expect(try newClient("--web", "--", "-x")?.name == "-x")
    }

    @Test func `an unknown command suggests one that is near`() {
        #expect(failure("srve")?.problem == .unknownCommand("srve", nearest: "serve"))
        #expect(failure("clients")?.problem == .unknownCommand("clients", nearest: "client"))
        #expect(failure("frobnicate")?.problem == .unknownCommand("frobnicate", nearest: nil))
        for overlap in ["1", "-1h", "91d", "h", "1y"] {
            guard case .invalid("--overlap", _) = failure("client", "rotate", "x", "--overlap=\(overlap)")?.problem else {
                Issue.record("\(overlap) was taken")
                continue
            }
        }
        #expect(failure("client", "rotates")?.problem == .unknownCommand("rotates", nearest: "rotate"))
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
        #expect(failure("client", "delete")?.problem == .missing("ID"))
        #expect(failure("client", "add", "a", "b")?.problem == .unexpected("b"))
        #expect(failure("serve", "now")?.problem == .unexpected("now"))
        #expect(failure("client", "list", "all")?.problem == .unexpected("all"))
        #expect(failure("client", "add", "a", "--id")?.problem == .missingValue("--id"))
        #expect(failure("client", "add", "a", "--id=")?.problem == .missingValue("--id"))
        #expect(failure("client", "add", "a", "--introspect=yes")?.problem == .needlessValue("--introspect"))
        #expect(failure("client", "add", "a", "--id", "b", "--id", "c")?.problem == .repeated("--id"))
        #expect(failure("client", "add", "a", "--introspect", "--introspect")?.problem == .repeated("--introspect"))
    }

    @Test func `a name must be printable and of a sensible length`() throws {
        for name in ["", "a\nb", "a\u{1B}b", "a\u{202E}b", String(repeating: "a", count: 201)] {
            #expect(failure("client", "add", "--web", name) != nil)
        }
        #expect(try newClient("木戸番 backend (Tōkyō)", "--web")?.name == "木戸番 backend (Tōkyō)")
        #expect(try newClient(String(repeating: "a", count: 200), "--web") != nil)
    }

    @Test func `a failure is told on one line`() throws {
        let hostile = try #require(failure("x\u{1B}[2J\n" + String(repeating: "y", count: 10_000)))
        #expect(!hostile.description.unicodeScalars.contains { $0.value < 0x20 })
        #expect(hostile.description.utf8.count < 200)
    }
}
