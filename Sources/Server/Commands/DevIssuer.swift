import Crypto
import Glibc
import HTTP
import Logging
package import Networking
import Outbound
import Routing
import Synchronization
package import Text

/// How the issuer for development runs.
package struct DevIssuerOptions: Equatable, Sendable {
    /// On this machine; port 0 lets the kernel choose.
    package var listen = SocketAddress.ip(.v4(0x7F00_0001), port: 8090)

    package init() {}
}

extension DevIssuerOptions {
    init(parsing arguments: ArraySlice<String>) throws(ArgumentsError) {
        let scanner = try ArgumentScanner(arguments, options: [.init(name: "--listen", takesValue: true)], topic: .devIssuer)
        _ = try scanner.positional()
        self.init()
        let expected = "an IP address of this machine alone and a port, such as 127.0.0.1:8090"
        let address = try scanner.value(of: "--listen", expected: expected) { text in
            SocketAddress(listening: text).flatMap { $0.isLoopback ? $0 : nil }
        }
        if let address { listen = address }
    }
}

extension SocketAddress {
    /// Whether only this machine can reach it.
    fileprivate var isLoopback: Bool {
        switch self {
        case .ip(.v4(let address), _): address >> 24 == 127
        case .ip(.v6(let upper, let lower), _): upper == 0 && lower == 1
        case .unix: false
        }
    }
}

/// `kidoban dev-issuer`: an identity provider for development and tests, until SIGTERM or SIGINT.
///
/// Its word is worth nothing, so it must never be where somebody could take it for something: it refuses to run beside a server that
/// is known under a public name.
enum DevIssuer {
    /// - Returns: one of `ExitStatus`.
    static func run(_ options: DevIssuerOptions, _ configuration: Configuration, _ console: Console) async -> Int32 {
        guard HTTPSClient.leadsHome(configuration.issuer) else {
            console.complain("KIDOBAN_ISSUER is a public URL: tokens that anybody can have signed must not be near it")
            return ExitStatus.configuration
        }
        _ = signal(SIGPIPE, SIG_IGN)
        let signals = Signals()
        do {
            let issuer = try await RunningDevIssuer.start(on: options.listen) { Timestamp.now() }
            _ = console.print("Issuing id tokens to anybody on \(issuer.url)\n")
            _ = await signals.first(or: Task { nil })
            await issuer.stop()
            return ExitStatus.success
        } catch {
            console.complain("the issuer cannot run: \(error)")
            return ExitStatus.failure
        }
    }
}

/// An issuer for development that runs in this process.
package struct RunningDevIssuer: Sendable {
    package let url: String
    private let server: HTTPServer
    private let loop: EventLoop
    private let pool: BlockingPool

    /// - Parameter address: one of this machine.
    package static func start(
        on address: SocketAddress, now: @escaping @Sendable () -> Timestamp
    ) async throws -> RunningDevIssuer {
        let loop = try EventLoop()
        let pool = BlockingPool(label: "kidoban.keys", threads: 1, queueLimit: 8)
        let url = Address()
        let api = DevIssuerRoutes(keys: try DevIssuerKeys(), pool: pool, url: { url.text }, now: now)
        let server = HTTPServer(
            HTTPServer.Configuration(
                limits: Limits(), budget: ConnectionBudget(wanted: 100), phase: ServerPhase(), clock: now),
            handler: try Router(apis: [api.make()], fallback: Router.plainText), loop: loop, logger: .disabled,
            random: SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) })
        url.text = "http://\(try await server.start(on: address))"
        return RunningDevIssuer(url: url.text, server: server, loop: loop, pool: pool)
    }

    package func stop() async {
        await server.drain()
        pool.stop()
        loop.stop()
    }

    /// Written once, before anybody is told.
    private final class Address: Sendable {
        private let value = Mutex("")

        var text: String {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }
}
