/// Counts the answers of one loop by route and status. Confined to its loop: no lock, no atomic.
package final class RequestMetrics: @unchecked Sendable {  // recorded and read on its own loop only
    /// A route as it is named in the metrics.
    package struct RouteName: Sendable, Hashable {
        package let method: String
        package let pattern: String

        package init(method: String, pattern: String) {
            self.method = method
            self.pattern = pattern
        }
    }

    /// The answers of one route with one status.
    package struct Series: Sendable {
        package let route: RouteName
        package let status: UInt16
        package var count: UInt64
        package var seconds: Double
        /// How many took at most `buckets[i]`; not cumulative.
        package var histogram: [UInt64]
    }

    /// The upper bounds of the latency histogram, in seconds.
    package static let buckets: [Double] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

    private static let bucketNanoseconds = buckets.map { UInt64($0 * 1e9) }
    /// What no route took.
    private static let unrouted = RouteName(method: "", pattern: "")

    /// What was said about the address of a client and not believed.
    package private(set) var forwardedRefusals: [ForwardedRefusal: UInt64] = [:]

    /// Connections that were closed upon clients.
    package private(set) var losses: [ConnectionLoss: UInt64] = [:]

    private let routes: [RouteName]
    /// By route (the last for what no route took), one series for each status seen.
    private var series: [[Series]]

    init(routes: [RouteName]) {
        self.routes = routes + [Self.unrouted]
        series = Array(repeating: [], count: routes.count + 1)
    }

    func record(route: Int?, status: Status, nanoseconds: UInt64) {
        let route = route ?? routes.count - 1
        let place = place(of: status.code, route: route)
        series[route][place].count += 1
        series[route][place].seconds += Double(nanoseconds) * 1e-9
        let bucket = Self.bucketNanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.buckets.count
        series[route][place].histogram[bucket] += 1
    }

    func count(_ refusal: ForwardedRefusal) {
        forwardedRefusals[refusal, default: 0] += 1
    }

    func count(_ loss: ConnectionLoss, times: UInt64 = 1) {
        losses[loss, default: 0] += times
    }

    /// The answers counted so far.
    package func snapshot() -> [Series] {
        series.flatMap { $0 }
    }

    private func place(of status: UInt16, route: Int) -> Int {
        if let place = series[route].firstIndex(where: { $0.status == status }) { return place }
        series[route].append(
            Series(
                route: routes[route], status: status, count: 0, seconds: 0,
                histogram: Array(repeating: 0, count: Self.buckets.count + 1)))
        return series[route].count - 1
    }
}
