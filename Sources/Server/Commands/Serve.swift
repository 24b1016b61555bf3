import Crypto
import Glibc
import Identity
import Logging
import Networking
import Text

/// `kidoban serve`: runs until SIGTERM or SIGINT, then ends gracefully; a second signal ends it at once.
enum Serve {
    /// - Returns: one of `ExitStatus`.
    static func run(_ configuration: Configuration, _ console: Console) async -> Int32 {
        // A peer that has gone is an error of the write, not the end of the process.
        _ = signal(SIGPIPE, SIG_IGN)
        EventLoop.keepGlobalJobs()
        do throws(LogSinkError) {
            let format = configuration.logging.format(isTerminal: isatty(STDOUT_FILENO) == 1)
            let sink = try LogSink(descriptor: STDOUT_FILENO, format: format)
            let status = await serve(configuration, Logger(sink: sink, level: configuration.logging.level), sink)
            sink.flush()
            return status
        } catch {
            console.complain("the log cannot be opened: \(error)")
            return ExitStatus.failure
        }
    }

    private static func serve(_ configuration: Configuration, _ logger: Logger, _ sink: LogSink) async -> Int32 {
        let signals = Signals()
        do throws(StartError) {
            let ambience = Ambience(now: { Timestamp.now() }, random: { SecureRandom.bytes($0) })
            let application = try Application(configuration, logger: logger, ambience: ambience, logSink: sink)
            let addresses = try await application.start()
            logger.info(
                "listening",
                [
                    "version": .string(Version.text), "http": "\(addresses.http)",
                    "operations": "\(addresses.operations)", "loops": .integer(configuration.loopCount),
                ])
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
