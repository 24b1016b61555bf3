package import Logging
package import Networking
package import Text

/// The HTTP server of one loop: its listener and its connections.
package actor HTTPServer {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What every loop of a process shares.
    package struct Configuration: Sendable {
        package var limits: Limits
        package var budget: ConnectionBudget
        package var phase: ServerPhase
        package var clock: @Sendable () -> Timestamp
        package var proxies: TrustedProxies
        package let warnings = ForwardedWarnings()
        /// A request that takes as long is told of in the log; zero for none.
        package var slowRequest: Duration

        package init(
            limits: Limits, budget: ConnectionBudget, phase: ServerPhase, proxies: TrustedProxies = TrustedProxies(),
            slowRequest: Duration = .zero, clock: @escaping @Sendable () -> Timestamp
        ) {
            self.limits = limits
            self.budget = budget
            self.phase = phase
            self.clock = clock
            self.proxies = proxies
            self.slowRequest = slowRequest
        }
    }

    nonisolated let router: Router
    nonisolated let limits: Limits
    nonisolated let timeouts: Timeouts
    nonisolated let phase: ServerPhase
    /// In nanoseconds; nil if no request is too slow.
    nonisolated let slowRequest: UInt64?
    /// The counters of this loop.
    package nonisolated let metrics: RequestMetrics

    nonisolated let logger: Logger
    private nonisolated let perRequest: PerRequest
    nonisolated let warnings: ForwardedWarnings
    private let budget: ConnectionBudget
    private var listener: Listener?
    private(set) var connections: [ObjectIdentifier: HTTPConnection] = [:]

    /// - Parameter router: this loop's own; its handlers hold this loop's stores.
    package init(_ configuration: Configuration, router: Router, loop: EventLoop, logger: Logger, random: UInt64) {
        self.loop = loop
        self.router = router
        self.logger = logger
        limits = configuration.limits
        timeouts = Timeouts(configuration.limits)
        phase = configuration.phase
        budget = configuration.budget
        metrics = RequestMetrics(routes: router.routes.map { .init(method: $0.route.method.name, pattern: $0.pattern) })
        warnings = configuration.warnings
        slowRequest = configuration.slowRequest > .zero ? configuration.slowRequest.wholeNanoseconds : nil
        perRequest = PerRequest(
            ids: RequestIDSource(random: random), date: DateField(clock: configuration.clock), proxies: configuration.proxies)
    }

    /// Listens and serves. Returns at once, with the address: the port may have been chosen by the kernel.
    /// - Throws: `SystemError` when the address cannot be had.
    package func start(on address: SocketAddress) throws(SystemError) -> SocketAddress {
        let listener = try Listener(address, loop: loop, budget: budget) { [self] stream in
            assumeIsolated { $0.accept(stream) }
        }
        try listener.start()
        self.listener = listener
        return listener.address
    }

    /// Takes no further connection; those between requests end, the others after their answer. Begins the shared phase if
    /// that has not been done.
    package func drain() async {
        phase.beginDraining()
        listener?.close()
        listener = nil
        for connection in connections.values { await connection.drain() }
    }

    /// Believes these proxies from now on, and no others: also on the connections that stand.
    package func trust(_ proxies: TrustedProxies) async {
        perRequest.proxies = proxies
        for connection in connections.values { await connection.decideTrust() }
    }

    /// Runs `body` on the loop: the way to its counters and slots from elsewhere.
    package func run<T: Sendable>(_ body: @Sendable () -> T) -> T {
        body()
    }

    /// How many connections stand.
    package var connectionCount: Int { connections.count }

    private func accept(_ stream: Stream) {
        let connection = HTTPConnection(stream, server: self)
        connections[ObjectIdentifier(connection)] = connection
        // It inherits this actor and so the loop. A task executor on top would be looked up at every switch between actors.
        Task {
            await connection.run()
            forget(connection)
        }
    }

    private func forget(_ connection: HTTPConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    nonisolated var proxies: TrustedProxies { perRequest.proxies }

    nonisolated func nextRequestID() -> String {
        perRequest.ids.next()
    }

    nonisolated func date() -> [UInt8] {
        perRequest.date.bytes(at: loop.now)
    }

    /// The span that a request is here, if it belongs to a trace.
    nonisolated func span(of head: RequestHead) -> TraceSpan? {
        guard head.fields.value(of: .traceParent) != nil, let context = TraceContext.wellFormed(in: head) else { return nil }
        return TraceSpan(context: context, spanID: perRequest.ids.nextSpan())
    }

    /// What changes with every request. Apart from the actor's state, so that connections reach it without a suspension.
    private final class PerRequest: @unchecked Sendable {  // touched by the connections of one loop, on that loop, only
        var ids: RequestIDSource
        var date: DateField
        var proxies: TrustedProxies

        init(ids: RequestIDSource, date: DateField, proxies: TrustedProxies) {
            self.ids = ids
            self.date = date
            self.proxies = proxies
        }
    }
}

extension RouteMatch {
    var door: Door? {
        switch self {
        case .found(let found): found.door
        case .refused(_, let door): door
        }
    }
}
