import Glibc
import Identity
import Networking
import Outbound
import Text

/// `kidoban doctor`: looks at the configuration, at what the server depends on and at the machine, and says what to do.
struct Doctor: Sendable {
    /// How long anything that is asked may take in all.
    static let patience: Duration = .seconds(15)

    private let reading: ConfigurationReading
    private let loop: EventLoop
    private let threads: BlockingPool

    /// - Returns: success when there is no problem, else failure.
    static func run(
        _ output: DoctorOutput, environment: [String: String], files: FileReader, _ console: Console
    ) async -> Int32 {
        _ = signal(SIGPIPE, SIG_IGN)
        let report: DoctorReport
        do throws(ConfigurationProblems) {
            let reading = try Configuration.read(environment: environment, files: files, masterKey: .optional)
            report = DoctorReport(findings: await findings(of: reading))
        } catch {
            let rest = Finding("others", .skipped, "nothing else is looked at before the configuration can be read")
            report = DoctorReport(findings: ConfigurationCheck.findings(of: error) + [rest])
        }
        let printed = console.print(output == .json ? report.json : report.text)
        return report.hasProblem ? ExitStatus.failure : printed
    }

    static func findings(of reading: ConfigurationReading) async -> [Finding] {
        do throws(SystemError) {
            let loop = try EventLoop()
            let threads = BlockingPool(label: "kidoban.doctor", threads: 2, queueLimit: 16)
            defer {
                threads.stop()
                loop.stop()
            }
            return await Doctor(reading: reading, loop: loop, threads: threads).examine()
        } catch {
            return [Finding("machine", .problem("see what the system says of its limits"), "\(error)")]
        }
    }

    /// Everything that answers is asked at once. To add a check, add its line here.
    private func examine() async -> [Finding] {
        let configuration = reading.configuration
        async let postgresAnswers = postgres()
        async let redisAnswers = redis()
        async let keySets = keySets()
        async let mailServer = mailServer()
        let (postgres, redis) = await (postgresAnswers, redisAnswers)
        let keys = postgres?.keys
        var findings = ConfigurationCheck.findings(of: reading)
        findings.append(MasterKeyCheck.finding(of: reading))
        findings += PostgresChecks.findings(of: postgres, configuration)
        findings.append(
            keys.map(MasterKeyCheck.finding(ofKeys:))
                ?? Finding(MasterKeyCheck.signingKeys, .skipped, "they take a master key and the database"))
        findings.append(MasterKeyCheck.finding(ofSealed: postgres?.sealed, configuration, at: Timestamp.now()))
        findings += RedisChecks.findings(of: redis, configuration.redis)
        findings.append(ClockCheck.finding(of: "PostgreSQL", postgres?.facts?.clock, limit: configuration.clockTolerance))
        findings.append(ClockCheck.finding(of: "Redis", redis?.clock, limit: configuration.clockTolerance))
        findings += await keySets
        findings.append(await issuer(try? keys?.get()))
        findings.append(await proxies())
        findings.append(OpenFilesCheck.finding(of: configuration))
        findings.append(PasswordMemoryCheck.finding(of: configuration))
        findings.append(
            MailCheck.finding(of: configuration, waiting: postgres?.mailsWaiting, answer: await mailServer))
        return findings
    }

    private func postgres() async -> PostgresProbe.Outcome? {
        let probe = PostgresProbe(reading.configuration, loop: loop, connecting: threads)
        return await within(Self.patience) { await probe.run() }
    }

    private func redis() async -> RedisProbe.Outcome? {
        let configuration = reading.configuration
        let probe = RedisProbe(
            configuration.redis, triesTracking: configuration.backends.hotTokens > 0, loop: loop, resolving: threads)
        return await within(Self.patience) { await probe.run() }
    }

    /// Greets the mail server, and sends nothing. Nil where there is none.
    private func mailServer() async -> Result<Void, SMTPError>? {
        guard let smtp = reading.configuration.smtp else { return nil }
        return await within(Self.patience) {
            let client = SMTPClient(smtp)
            defer { client.stop() }
            do throws(SMTPError) {
                return .success(try await client.check())
            } catch {
                return .failure(error)
            }
        } ?? .failure(.timedOut)
    }

    private func keySets() async -> [Finding] {
        let providers = reading.configuration.federation.providers
        guard !providers.isEmpty else { return [Finding("key-sets", .skipped, "no other identity provider is configured")] }
        return await asking { client in
            await withTaskGroup { group in
                for (index, provider) in providers.enumerated() {
                    group.addTask { (index, await KeySetCheck.finding(of: provider, with: client)) }
                }
                return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }
    }

    private func issuer(_ keys: KeyRing?) async -> Finding {
        let issuer = reading.configuration.issuer
        let findings = await asking { [await IssuerCheck.finding(of: issuer, keys: keys, with: $0)] }
        return findings[0]
    }

    private func proxies() async -> Finding {
        let configuration = reading.configuration
        let findings = await asking { client in
            [ProxiesCheck.finding(of: configuration, metrics: await ProxiesCheck.metrics(of: configuration, with: client))]
        }
        return findings[0]
    }

    /// Lends a client for other servers, whose own times bound what it does.
    private func asking(_ body: (HTTPSClient) async -> [Finding]) async -> [Finding] {
        do throws(OutboundError) {
            let client = try HTTPSClient(reading.configuration.outbound)
            defer { client.stop() }
            return await body(client)
        } catch {
            return [Finding("authorities", .problem("correct KIDOBAN_CA_FILE"), "\(error)")]
        }
    }
}

extension RedisProbe.Outcome {
    fileprivate var clock: ClockOffset? {
        if case .facts(let facts) = self { facts.clock } else { nil }
    }
}
