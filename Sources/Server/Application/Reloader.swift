import Endpoints
import Glibc
import HTTP
import Identity
import Logging
import Networking

/// Reads the configuration anew on SIGHUP, and has the running server take over what can change.
///
/// All or nothing: with anything wrong in it the old configuration stays in force.
@MainActor
final class Reloader {
    private let application: Application
    private let logger: Logger
    private let read: @Sendable () throws(ConfigurationProblems) -> ConfigurationReading
    /// With which the process has started: what needs a restart is told from this.
    private let started: ConfigurationReading
    private var last: ConfigurationReading
    private var running: Configuration

    init(
        _ application: Application, _ started: ConfigurationReading, logger: Logger,
        read: @escaping @Sendable () throws(ConfigurationProblems) -> ConfigurationReading
    ) {
        self.application = application
        self.started = started
        self.logger = logger
        self.read = read
        last = started
        running = started.configuration
    }

    /// Until the end of the process.
    func serve(_ hangups: Hangups) async {
        for await _ in hangups.requests { await reload() }
        // Without it the signal would mean something else again.
        withExtendedLifetime(hangups) {}
    }

    private func reload() async {
        guard !application.isDraining else { return logger.info("draining: the configuration is not read anew") }
        let reading: ConfigurationReading
        do throws(ConfigurationProblems) {
            reading = try read()
        } catch {
            application.reloads.note(rejected: true)
            let problems = error.problems.map(\.description).joined(separator: "; ")
            return logger.error("the configuration is wrong: the old one stays in force", ["problems": .string(problems)])
        }
        let applied = reading.changes(since: last).filter(\.reloads).map(\.name)
        let waiting = reading.changes(since: started).filter { !$0.reloads }.map(\.name)
        running = reading.applied(to: running)
        last = reading
        await application.apply(running)
        application.reloads.note(rejected: false)
        // The line is for the old level as well as for the new one, which is in force when somebody reads it.
        let level = running.logging.level
        let announcing = logger.with(level: min(logger.level, level))
        logger.level = level
        var fields: LogFields = ["changed": .string(applied.joined(separator: " "))]
        if !waiting.isEmpty { fields = fields.merging(["needs_restart": .string(waiting.joined(separator: " "))]) }
        announcing.info("configuration read anew", fields)
    }
}

/// SIGHUP, by which an operator asks the server to read its configuration anew. From the moment this is made the signal does not end
/// the process.
final class Hangups: Sendable {
    /// Signals that arrive while one is acted upon are one.
    let requests: AsyncStream<Void>
    private let source: SignalSource

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        requests = stream
        source = SignalSource(SIGHUP) { continuation.yield() }
    }
}

extension Worker {
    /// Takes over what can change while the server runs: values in slots that only this loop touches, so that requests need no lock.
    /// A setting that reloads is marked so in `Settings` and taken over here.
    func apply(_ configuration: Configuration) async {
        let providers = configuration.federation.providers
        let notices = configuration.noticeIssuers
        await server.run {
            services.federation.use(providers)
            services.accounts.use(Set(providers.map(\.id)))
            services.notices.use(notices)
            limits.value = configuration.limits
        }
        await auditUpkeep.use(retention: configuration.audit.retention)
        await server.trust(configuration.http.proxies)
        await services.codes.use(issuers: configuration.appleIssuers)
        await services.clients.renewAll(lifetime: configuration.clients.cacheLifetime)
    }
}
