import Crypto
import JOSE
import Logging
import Networking
import Outbound
import TestSupport
import Testing

@testable import Identity

/// A provider's key server with TLS, a keeper of its keys, and two loops that want to know them.
final class KeySetWorld {
    static let provider = ProviderID.apple

    let server: TestHTTPServer
    let keeper: KeySetKeeper
    let parts: [KeySets]
    private let answer: Locked<TestHTTPServer.Answer>
    private let client: HTTPSClient
    private let log: TestLog
    private let policy: KeySetPolicy
    /// Keeps the certificate's files.
    private let directory: TestDirectory

    /// - Parameters:
    ///   - isTrusted: whether the server's certificate is one of the authority that is trusted.
    init(
        _ answer: TestHTTPServer.Answer, isTrusted: Bool = true, timeout: Duration = .seconds(30),
        on loop: EventLoop? = nil, _ change: (inout KeySetPolicy) -> Void = { _ in }
    ) throws {
        directory = try TestDirectory()
        log = try TestLog()
        let certificate = try TestCertificate(names: ["DNS:localhost"], in: directory)
        let authority = isTrusted ? certificate : try TestCertificate(names: ["DNS:localhost"], in: directory)
        let current = Locked(answer)
        self.answer = current
        server = try TestHTTPServer.start(certificate) { _ in current.value }
        var configuration = OutboundConfiguration()
        configuration.authoritiesFile = authority.authorityPath
        configuration.timeout = timeout
        // What a busy machine keeps.
        configuration.connectTimeout = .seconds(20)
        client = try HTTPSClient(configuration)
        var policy = KeySetPolicy()
        policy.patience = .seconds(30)
        change(&policy)
        self.policy = policy
        keeper = KeySetKeeper(
            [Self.provider: server.url("/keys")], policy: policy, client: client, loop: try loop ?? SharedLoops.next(),
            logger: Logger(sink: log.sink), random: { SecureRandom.bytes($0) })
        parts = [
            KeySets(keeper, loop: try SharedLoops.next()), KeySets(keeper, loop: try SharedLoops.next()),
        ]
    }

    deinit {
        let (keeper, client) = (keeper, client)
        Task {
            await keeper.close()
            client.stop()
        }
    }

    /// One whose keeper has fetched the set.
    static func started(
        _ body: String, timeout: Duration = .seconds(30), _ change: (inout KeySetPolicy) -> Void = { _ in }
    ) async throws -> KeySetWorld {
        let world = try KeySetWorld(.response(status: 200, body: body), timeout: timeout, change)
        await world.start()
        try await eventually { await world.count(.succeeded) >= 1 }
        return world
    }

    func start(_ store: KeySetStore? = nil) async {
        await keeper.start(parts, store: store)
    }

    /// The keeper of a process that starts now, with what an earlier one has left in `store`, and a loop that asks it.
    func successor(of path: String = "/keys", on loop: EventLoop, _ store: KeySetStore) async throws -> (KeySetKeeper, KeySets) {
        let keeper = KeySetKeeper(
            [Self.provider: server.url(path)], policy: policy, client: client, loop: loop, logger: Logger(sink: log.sink),
            random: { SecureRandom.bytes($0) })
        let keys = KeySets(keeper, loop: try SharedLoops.next())
        await keeper.start([keys], store: store)
        return (keeper, keys)
    }

    /// What the server answers from now on.
    func serve(_ answer: TestHTTPServer.Answer) {
        self.answer.withLock { $0 = answer }
    }

    func serve(_ body: String) {
        serve(.response(status: 200, body: body))
    }

    func lookUp(_ keyID: String, on loop: Int = 0) async -> Found {
        switch await parts[loop].key(keyID, of: Self.provider) {
        case .key(let key): .key(key.keyID ?? "")
        case .unknownKey: .unknown
        case .unavailable: .unavailable
        }
    }

    var report: KeySetReport {
        get async throws { try #require(await keeper.reports.first) }
    }

    /// Fetches that ended so.
    func count(_ outcome: KeySetFetchOutcome) async -> UInt64 {
        await keeper.reports.first?.fetches[outcome] ?? 0
    }

    /// The messages that were logged up to now.
    var messages: [String] {
        log.text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /"message":"([^"]*)"/).map { String($0.1) }
        }
    }

    enum Found: Equatable {
        case key(String)
        case unknown
        case unavailable
    }
}
