import Crypto
import Glibc
import HTTP
import Logging
import Networking
import Outbound
import Routing
import Synchronization
import Text

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
            let loop = try EventLoop()
            let pool = BlockingPool(label: "kidoban.keys", threads: 1, queueLimit: 8)
            let server = try await start(options, loop, pool, console)
            _ = await signals.first(or: Task { nil })
            await server.drain()
            pool.stop()
            loop.stop()
            return ExitStatus.success
        } catch {
            console.complain("the issuer cannot run: \(error)")
            return ExitStatus.failure
        }
    }

    private static func start(
        _ options: DevIssuerOptions, _ loop: EventLoop, _ pool: BlockingPool, _ console: Console
    ) async throws -> HTTPServer {
        let url = Address()
        let api = DevIssuerRoutes(keys: try DevIssuerKeys(), pool: pool, url: { url.text }, now: { Timestamp.now() })
        let server = HTTPServer(
            HTTPServer.Configuration(
                limits: Limits(), budget: ConnectionBudget(wanted: 100), phase: ServerPhase(), clock: { Timestamp.now() }),
            handler: try Router(apis: [api.make()], fallback: Router.plainText), loop: loop, logger: .disabled,
            random: SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) })
        url.text = "http://\(try await server.start(on: options.listen))"
        _ = console.print("Issuing id tokens to anybody on \(url.text)\n")
        return server
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
