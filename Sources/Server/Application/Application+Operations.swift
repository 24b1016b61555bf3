import Endpoints
import HTTP
import Identity
import Logging
import Networking

extension Application {
    /// The listener for health and metrics, which gathers what all loops have counted.
    /// - Throws: `StartError.configuration` when its routes do not fit together.
    static func operations(
        _ workers: [Worker], _ shared: SharedParts, _ keySets: KeySetKeeper, _ redisWatch: RedisWatch,
        _ logSink: LogSink?
    ) throws(StartError) -> HTTPServer {
        guard let first = workers.first else { throw .configuration("there is no loop") }
        let started = shared.system.now()
        let api = Operations.make(first.services, others: workers.dropFirst().map(\.services), phase: shared.phase) {
            // Thousands of descriptors are not counted on a loop.
            let statistics = try? await shared.housekeeping.run { ProcessStatistics.report(startedAt: started) }
            var report = statistics ?? Operations.MetricsReport()
            report.hashesWaiting = shared.hashing.waitingCount
            report.logLinesDropped = logSink?.droppedLines ?? 0
            for worker in workers {
                report.connections += await worker.server.connectionCount
                let (requests, refusals, losses, identity) = await worker.server.run {
                    let metrics = worker.server.metrics
                    return (metrics.snapshot(), metrics.forwardedRefusals, metrics.losses, worker.metrics.snapshot)
                }
                report.add(requests)
                report.forwardedRefusals.merge(refusals, uniquingKeysWith: +)
                report.connectionLosses.merge(losses, uniquingKeysWith: +)
                report.identity.add(identity)
            }
            report.connectionBytes = shared.http.ledger.bytes
            report.keySets = await keySets.reports
            report.redisProblems = await redisWatch.problems
            report.auditEventsLostAtStop = await redisWatch.auditEventsLost
            report.isConfigurationRejected = shared.reloads.isRejected
            report.redisClockAhead = await redisWatch.clockAhead
            return report
        }
        var configuration = shared.http
        configuration.budget = ConnectionBudget(wanted: Configuration.Operations.maximumConnections)
        configuration.ledger = ClientLedger(connectionsEach: Configuration.Operations.maximumConnections)
        // It answers to the very end, so that what asks for readiness sees it go.
        configuration.phase = ServerPhase()
        // It is asked by who operates the server, directly.
        configuration.proxies = TrustedProxies()
        // Its requests ask all loops at once, where no times can be kept.
        configuration.slowRequest = .zero
        return HTTPServer(
            configuration, handler: try Worker.router([api]), loop: first.loop, logger: shared.logger,
            random: shared.randomNumber())
    }
}
