package import HTTP
package import Identity

extension Operations {
    /// The counters of a process at a moment, summed over its loops.
    package struct MetricsReport: Sendable {
        package var requests: [RequestMetrics.Series] = []
        package var forwardedRefusals: [ForwardedRefusal: UInt64] = [:]
        package var identity = IdentityMetrics.Snapshot()
        package var keySets: [KeySetReport] = []
        /// By the name of the check, whether Redis may lose what it has to keep.
        package var redisProblems: [String: Bool] = [:]
        /// Whether the last SIGHUP brought a configuration that was refused.
        package var isConfigurationRejected = false
        /// Audit events that copies took along when they ended, within the last day.
        package var auditEventsLostAtStop = 0
        /// How far Redis's clock is ahead of this copy's; nil before it has been asked.
        package var redisClockAhead: Duration?
        package var connections = 0
        package var connectionBytes = 0
        package var connectionLosses: [ConnectionLoss: UInt64] = [:]
        package var residentBytes: UInt64 = 0
        package var openDescriptors: UInt64 = 0
        package var cpuSeconds: Double = 0
        package var startedAtSeconds: Double = 0
        package var hashesWaiting = 0
        package var logLinesDropped: UInt64 = 0
        package var version = ""
        package var swiftVersion = ""

        package init() {}

        /// Adds a loop's series to those of the same route and status.
        package mutating func add(_ series: [RequestMetrics.Series]) {
            for one in series {
                guard let place = requests.firstIndex(where: { $0.route == one.route && $0.status == one.status }) else {
                    requests.append(one)
                    continue
                }
                requests[place].count += one.count
                requests[place].seconds += one.seconds
                for bucket in one.histogram.indices { requests[place].histogram[bucket] += one.histogram[bucket] }
            }
        }
    }
}
