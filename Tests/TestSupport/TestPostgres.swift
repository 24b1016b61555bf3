import Glibc

/// A PostgreSQL server of a test's own, which it may stop, start and kill. It listens on a Unix socket in its own directory,
/// and all of it is gone when the test lets go of it.
package final class TestPostgres {
    package struct Failure: Error {
        package let reason: String
    }

    package enum Shutdown {
        /// Ends the sessions and shuts down properly.
        case fast
        /// Ends at once, as if it had crashed.
        case immediate
    }

    /// Where `initdb` and `postgres` are; nil when this machine has no PostgreSQL server.
    private static let programs: String? = {
        let path = getenv("PATH").map { String(cString: $0).split(separator: ":").map(String.init) } ?? []
        let candidates = path + paths(matching: "/usr/lib/postgresql/*/bin").reversed()
        return candidates.first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
    }()

    /// Whether this machine has a PostgreSQL server to start.
    package static var isAvailable: Bool { programs != nil }

    private let directory: String
    private let programs: String
    private let user: passwd?
    private let settings: [String]
    private var server: ChildProcess?

    /// Makes a new cluster and starts it.
    /// - Parameter settings: as in `postgresql.conf`; they go before those that make tests fast.
    package init(_ settings: [String] = []) throws {
        self.settings = settings
        guard let programs = Self.programs else { throw Failure(reason: "there is no PostgreSQL server on this machine") }
        self.programs = programs
        directory = "/tmp/kidoban-test-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        guard mkdir(directory, 0o700) == 0 else { throw Failure(reason: "no temporary directory") }
        // PostgreSQL refuses to run as root.
        user = geteuid() == 0 ? (getpwnam("postgres") ?? getpwnam("nobody"))?.pointee : nil
        if let user { chown(directory, user.pw_uid, user.pw_gid) }
        let arguments = ["-D", "\(directory)/data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]
        guard try spawn("initdb", arguments).waitForExit() == 0 else {
            throw Failure(reason: "initdb failed; see \(directory)/log")
        }
        try start()
    }

    deinit {
        stop(.immediate)
        _ = try? ChildProcess.run("/bin/rm", ["-rf", directory])
    }

    /// For libpq: a superuser, without a password.
    package var connectionString: String { Self.connectionString(directory) }

    /// The same for sockets in another directory.
    package static func connectionString(_ directory: String) -> String { "host=\(directory) user=postgres dbname=postgres" }

    package static let socketName = ".s.PGSQL.5432"
    package var socketPath: String { "\(directory)/\(Self.socketName)" }

    /// What the server has logged so far.
    package var log: String {
        (try? TestFile.text(of: "\(directory)/log")) ?? ""
    }

    /// Starts the server and waits until it takes connections.
    package func start() throws {
        let options = ["listen_addresses=", "unix_socket_directories=\(directory)", "fsync=off", "max_connections=30"] + settings
        let server = try spawn("postgres", ["-D", "\(directory)/data"] + options.flatMap { ["-c", $0] })
        self.server = server
        while !isReady {
            guard server.isRunning else { throw Failure(reason: "the server has ended") }
            usleep(5_000)
        }
    }

    /// The processes that serve connections do nothing, as on a machine that hangs, until `resume()`; new connections wait as well.
    package func pause() { pausing() }

    /// The same for another thread, as long as this server runs.
    package var pausing: @Sendable () -> Void {
        let server = server?.processID
        return { for process in Self.processes(of: server) { Glibc.kill(process, SIGSTOP) } }
    }

    package func resume() {
        for process in Self.processes(of: server?.processID) { Glibc.kill(process, SIGCONT) }
    }

    /// Kills the server with all that it has started, which may stand still, and waits until it has ended.
    package func kill() {
        for process in Self.processes(of: server?.processID) { Glibc.kill(process, SIGKILL) }
        server?.waitForExit()
        server = nil
    }

    /// The server, and then what it has started.
    private static func processes(of server: Int32?) -> [Int32] {
        guard let server else { return [] }
        let started = paths(matching: "/proc/[0-9]*/stat").compactMap { path -> Int32? in
            // After the name in brackets: state, parent.
            guard let text = try? TestFile.text(of: path), let end = text.lastIndex(of: ")") else { return nil }
            let fields = text[end...].split(separator: " ")
            guard fields.count > 2, Int32(fields[2]) == server else { return nil }
            return text.split(separator: " ").first.flatMap { Int32($0) }
        }
        return [server] + started
    }

    /// Stops the server and waits until it has ended.
    package func stop(_ shutdown: Shutdown) {
        server?.send(shutdown == .fast ? SIGINT : SIGQUIT)
        server?.waitForExit()
        server = nil
    }

    /// The server writes its state into the eighth line of this file.
    private var isReady: Bool {
        guard let file = fopen("\(directory)/data/postmaster.pid", "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        for _ in 1...8 where fgets(&line, 256, file) == nil { return false }
        return strncmp(line, "ready", 5) == 0
    }

    private func spawn(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let path = "\(programs)/\(program)"
        guard let user else { return try ChildProcess(path, arguments, outputPath: "\(directory)/log") }
        let identity = ["--reuid=\(user.pw_uid)", "--regid=\(user.pw_gid)", "--clear-groups", "--", path]
        return try ChildProcess("/usr/bin/setpriv", identity + arguments, outputPath: "\(directory)/log")
    }
}

/// The paths that a shell would make of `pattern`, in order.
private func paths(matching pattern: String) -> [String] {
    var matches = glob_t()
    defer { globfree(&matches) }
    guard glob(pattern, 0, nil, &matches) == 0 else { return [] }
    return (0..<Int(matches.gl_pathc)).compactMap { index in matches.gl_pathv[index].map { String(cString: $0) } }
}
