import Crypto
import Endpoints
import Glibc

/// The program: from its arguments and environment to its exit status.
package enum Program {
    /// - Parameters:
    ///   - arguments: without the name of the program.
    ///   - environment: the variables of the process.
    /// - Returns: one of `ExitStatus`.
    package static func run(
        arguments: some Sequence<String>, environment: [String: String], files: FileReader = .system,
        console: Console = .standard
    ) async -> Int32 {
        let command: Command
        let operatorName: String?
        do throws(ArgumentsError) {
            let (rest, name) = try OperatorName.taken(from: Array(arguments), environment: environment)
            command = try Command(parsing: rest)
            operatorName = name
        } catch {
            console.complain("\(error)\nUsage: \(error.topic.usage)\nSee `\(error.topic.invocation) --help`.")
            return ExitStatus.usage
        }
        // First of all: from here on SIGHUP does not end a server.
        let hangups = command == .serve ? Hangups() : nil
        CryptoLibrary.start()
        switch command {
        case .help(let topic): return console.print(topic.text)
        case .version: return console.print("kidoban \(Version.text)\n")
        case .config(.markdown): return console.print(ConfigurationListing.markdown)
        case .config(.texts(let language)): return console.print(PageTexts.builtIn(language) ?? "")
        case .doctor(let output):
            return await Doctor.run(output, environment: environment, files: files, console)
        case .health:
            do throws(ConfigurationProblems) {
                let address = try Configuration.operationsAddress(environment: environment, files: files)
                return await Health.run(address, console)
            } catch {
                return complain(error, console)
            }
        case .config(.inForce), .serve, .migrate, .client, .user, .importUsers, .exportUsers, .firebase, .sessions,
            .limits, .audit,
            .auditRetention, .keys,
            .mail, .openAPI,
            .explainIDToken, .devIssuer:
            break
        }
        let early = command == .serve ? Serve.begin(environment: environment, files: files) : nil
        do throws(ConfigurationProblems) {
            let read = { @Sendable () throws(ConfigurationProblems) in
                try Configuration.read(
                    environment: environment, files: files, masterKey: command.needsMasterKey ? .required : .optional)
            }
            var reading = try read()
            if let hangups { return await Serve.run(reading, early, hangups, console, readingAnew: read) }
            reading.configuration.audit.operatorName = operatorName
            return await run(command, reading, files, console)
        } catch {
            return complain(error, console)
        }
    }

    private static func complain(_ problems: ConfigurationProblems, _ console: Console) -> Int32 {
        console.complain("the configuration is wrong:\n\(problems)See `kidoban serve --help` for all settings.")
        return ExitStatus.configuration
    }

    private static func run(
        _ command: Command, _ reading: ConfigurationReading, _ files: FileReader, _ console: Console
    ) async -> Int32 {
        switch command {
        case .migrate: Migrate.run(reading.configuration, console)
        case .client(let action): await ClientCommand.run(action, reading.configuration, files, console)
        case .user(let action): await UserCommand.run(action, reading.configuration, console)
        case .importUsers(let request): await ImportCommand.run(request, reading.configuration, files, console)
        case .exportUsers(let request): await ExportCommand.run(request, reading.configuration, console)
        case .firebase(let action): await FirebaseCommand.run(action, reading.configuration, console)
        case .sessions(let action): await SessionsCommand.run(action, reading.configuration, console)
        case .limits(let action): await LimitsCommand.run(action, reading.configuration, console)
        case .auditRetention(let action): await AuditRetentionCommand.run(action, reading.configuration, console)
        case .audit(let question): await AuditCommand.run(question, reading.configuration, console)
        case .keys(let action): await KeysCommand.run(action, reading.configuration, console)
        case .mail(let action): await MailCommand.run(action, reading.configuration, console)
        case .openAPI: PrintOpenAPI.run(reading.configuration, console)
        case .explainIDToken(let question): await ExplainIDToken.run(question, reading.configuration, files, console)
        case .devIssuer(let options): await DevIssuer.run(options, reading.configuration, console)
        case .serve, .health, .config, .doctor, .help, .version: console.print(ConfigurationListing.lines(of: reading))
        }
    }
}

/// The environment variables of the process, for `main` to read once.
package enum ProcessEnvironment {
    /// Of a name that is there twice, the first. Bytes that are not UTF-8 become U+FFFD, which no setting accepts.
    package static func read() -> [String: String] {
        var variables: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let (name, value) = String(cString: text).splitAtEqualsSign
            if let value, variables[name] == nil { variables[name] = value }
            entry += 1
        }
        return variables
    }
}
