import Crypto
import Glibc
import Identity
import Logging
import Networking
import Postgres
import Text

/// `kidoban serve`: runs until SIGTERM or SIGINT, then ends gracefully; a second signal ends it at once. On SIGHUP it reads its
/// configuration anew.
enum Serve {
    typealias Read = @Sendable () throws(ConfigurationProblems) -> ConfigurationReading

    /// Begins what a start waits for longest, while the settings are still read; nil where they do not say how.
    static func begin(environment: [String: String], files: FileReader) -> EarlyStart? {
        ProcessMemory.keepLittle()
        // A peer that has gone is an error of the write, not the end of the process.
        _ = signal(SIGPIPE, SIG_IGN)
        forbidCores()
        EventLoop.keepGlobalJobs()
        return Configuration.database(environment: environment, files: files).map { EarlyStart($0) }
    }

    /// - Parameters:
    ///   - early: what `begin` has begun.
    ///   - read: what gave `reading`, for the next time.
    /// - Returns: one of `ExitStatus`.
    static func run(
        _ reading: ConfigurationReading, _ early: EarlyStart?, _ hangups: Hangups, _ console: Console,
        readingAnew read: @escaping Read
    ) async -> Int32 {
        let configuration = reading.configuration
        do throws(LogSinkError) {
            let format = configuration.logging.format(isTerminal: isatty(STDOUT_FILENO) == 1)
            let sink = try LogSink(descriptor: STDOUT_FILENO, format: format)
            let logger = Logger(sink: sink, level: configuration.logging.level)
            let status = await serve(reading, early, logger, sink) { application in
                await Reloader(application, reading, logger: logger, read: read).serve(hangups)
            }
            sink.flush()
            return status
        } catch {
            console.complain("the log cannot be opened: \(error)")
            return ExitStatus.failure
        }
    }

    /// A crash leaves no copy of the memory behind: the keys are in it.
    private static func forbidCores() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    private static func serve(
        _ reading: ConfigurationReading, _ early: EarlyStart?, _ logger: Logger, _ sink: LogSink,
        reloading: @escaping @MainActor @Sendable (Application) async -> Void
    ) async -> Int32 {
        let configuration = reading.configuration
        let signals = Signals()
        do throws(StartError) {
            let system = SystemContext(now: { Timestamp.now() }, random: { SecureRandom.bytes($0) })
            let application = try Application(configuration, early: early, logger: logger, system: system, logSink: sink)
            let addresses = try await application.start()
            logger.info(
                "listening",
                [
                    "version": .string(Version.text), "http": "\(addresses.http)",
                    "operations": "\(addresses.operations)", "loops": .integer(configuration.loopCount),
                ])
            let reloads = Task { @MainActor in await reloading(application) }
            defer { reloads.cancel() }
            let preparing = Task { @MainActor () -> StartError? in await application.prepareOrFail() }
            let failure = await signals.first(or: preparing)
            if let failure { throw failure }
            await application.stop()
            return ExitStatus.success
        } catch {
            logger.error("cannot serve", ["error": "\(error)"])
            return ExitStatus.failure
        }
    }
}

/// `kidoban migrate`: brings the database to the newest step of the schema, under a lock, and says which steps were applied.
enum Migrate {
    /// - Returns: one of `ExitStatus`.
    static func run(_ configuration: Configuration, _ console: Console) -> Int32 {
        let migrator = Migrator(Schema.migrations, configuration: configuration.database, logger: .disabled)
        do throws(MigrationError) {
            let applied = try migrator.apply()
            guard !applied.isEmpty else { return console.print("The database is up to date.\n") }
            return console.print(applied.map { "Applied \($0.version) \($0.name)\n" }.joined())
        } catch {
            console.complain("the database cannot be migrated: \(error)")
            return ExitStatus.failure
        }
    }
}
