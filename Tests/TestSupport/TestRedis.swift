import Glibc

/// A Redis server of a test's own, which it may stop, pause and start again. It keeps nothing on disk, listens on the loopback
/// address and on a Unix socket in its own directory, and is gone when the test lets go of it.
package final class TestRedis {
    package struct Failure: Error {
        package let reason: String
    }

    /// The `redis://` address of a server that tests may share, each under keys of its own; nil when none is given.
    package static let sharedURL: String? = getenv("KIDOBAN_TEST_REDIS_URL").map { String(cString: $0) }

    /// Why the suites that need the shared server are skipped without it.
    package static let reason = "KIDOBAN_TEST_REDIS_URL names no Redis server"

    private static let program: String? = {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").map { "\($0)/redis-server" }.first { access($0, X_OK) == 0 }
    }()

    /// Whether this machine has a Redis server to start.
    package static var isAvailable: Bool { program != nil }

    /// Where the server keeps its socket and its log; the test may put files there too.
    package let directory: TestDirectory
    /// On 127.0.0.1; the same after a restart.
    package let port: UInt16
    /// On 127.0.0.1, when the server was started with certificates.
    package let portTLS: UInt16
    private let program: String
    private let options: [String]
    private var server: ChildProcess?

    /// Starts a server and waits until it answers.
    /// - Parameters:
    ///   - options: as on the command line, such as `--requirepass`.
    ///   - certificate: the server's, for `portTLS`.
    package init(_ options: [String] = [], certificate: TestCertificate? = nil) throws {
        guard let program = Self.program else { throw Failure(reason: "there is no redis-server on this machine") }
        self.program = program
        directory = try TestDirectory()
        port = try freePort()
        let portTLS = try certificate == nil ? 0 : freePort()
        self.portTLS = portTLS
        let certificateOptions =
            certificate.map {
                [
                    "--tls-port", "\(portTLS)", "--tls-cert-file", $0.certificatePath, "--tls-key-file", $0.keyPath,
                    "--tls-ca-cert-file", $0.certificatePath, "--tls-auth-clients", "no",
                ]
            } ?? []
        self.options = options + certificateOptions
        try start()
    }

    deinit {
        stop()
    }

    /// As `REDIS_URL` takes it.
    package var url: String { "redis://127.0.0.1:\(port)" }

    package var socketPath: String { "\(directory.path)/redis.sock" }

    /// Starts the server again, empty, where it was.
    package func start() throws {
        let places = ["--bind", "127.0.0.1", "--port", "\(port)", "--unixsocket", socketPath, "--dir", directory.path]
        let server = try ChildProcess(
            program, places + ["--save", "", "--appendonly", "no"] + options, outputPath: "\(directory.path)/log")
        self.server = server
        while !answers {
            guard server.isRunning else { throw Failure(reason: "redis-server has ended") }
            usleep(5_000)
        }
    }

    /// Kills the server and waits until it has ended.
    package func stop() {
        server?.send(SIGKILL)
        server?.waitForExit()
        server = nil
    }

    /// Has a command carried out over a connection of its own, which is answered with OK.
    package func command(_ text: String) throws {
        let connection = try TestSocket(connectingTo: port)
        try connection.send(text + "\r\n")
        let answer = String(decoding: try connection.receive(), as: UTF8.self)
        guard answer == "+OK\r\n" else { throw Failure(reason: answer) }
    }

    /// The server stands still: connections are taken by the kernel, nothing is answered.
    package func pause() {
        server?.pause()
    }

    /// The same for another thread, as long as this server runs.
    package var pausing: @Sendable () -> Void {
        guard let process = server?.processID else { return {} }
        return { kill(process, SIGSTOP) }
    }

    package func resume() {
        server?.send(SIGCONT)
    }

    /// Whether anything comes back for a `PING`, be it a refusal.
    private var answers: Bool {
        guard let connection = try? TestSocket(connectingTo: port) else { return false }
        return (try? connection.send("PING\r\n")) != nil && (try? connection.receive())?.isEmpty == false
    }
}

private let givenPorts = Locked<Set<UInt16>>([])

/// A port of 127.0.0.1 where nobody listens now, below those that the kernel hands out by itself; another one each time.
package func freePort() throws -> UInt16 {
    for _ in 0..<1000 {
        let port = UInt16.random(in: 20_000..<32_000)
        guard givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
        if try TestSocket.isFree(port) { return port }
    }
    throw TestRedis.Failure(reason: "there is no free port")
}
