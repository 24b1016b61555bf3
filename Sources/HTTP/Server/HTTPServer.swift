package import Logging
package import Networking
import Synchronization
package import Text

/// The HTTP server of one loop: its listener and its connections.
package actor HTTPServer {
    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// What every loop of a process shares.
    package struct Configuration: Sendable {
        package var limits: Limits
        package var budget: ConnectionBudget
        /// What each client takes of the process.
        package var ledger: ClientLedger
        package var phase: ServerPhase
        package var clock: @Sendable () -> Timestamp
        package var proxies: TrustedProxies
        package let warnings = ForwardedWarnings()
        package let connectionWarnings = ConnectionWarnings()
        /// A request that takes as long is told of in the log; zero for none.
        package var slowRequest: Duration

        package init(
            limits: Limits, budget: ConnectionBudget, ledger: ClientLedger = ClientLedger(), phase: ServerPhase,
            proxies: TrustedProxies = TrustedProxies(), slowRequest: Duration = .zero, clock: @escaping @Sendable () -> Timestamp
        ) {
            self.limits = limits
            self.budget = budget
            self.ledger = ledger
            self.phase = phase
            self.clock = clock
            self.proxies = proxies
            self.slowRequest = slowRequest
        }
    }

    nonisolated let handler: any RequestHandler
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
    nonisolated let connectionWarnings: ConnectionWarnings
    nonisolated let ledger: ClientLedger
    private let budget: ConnectionBudget
    private var listener: Listener?
    private(set) var connections: [ObjectIdentifier: HTTPConnection] = [:]

    /// - Parameter handler: this loop's own; it holds this loop's stores.
    package init(_ configuration: Configuration, handler: any RequestHandler, loop: EventLoop, logger: Logger, random: UInt64) {
        self.loop = loop
        self.handler = handler
        self.logger = logger
        limits = configuration.limits
        timeouts = Timeouts(configuration.limits)
        phase = configuration.phase
        budget = configuration.budget
        metrics = RequestMetrics(routes: handler.routeNames)
        warnings = configuration.warnings
        connectionWarnings = configuration.connectionWarnings
        ledger = configuration.ledger
        slowRequest = configuration.slowRequest > .zero ? configuration.slowRequest.wholeNanoseconds : nil
        perRequest = PerRequest(
            ids: RequestIDSource(random: random), date: DateField(clock: configuration.clock), proxies: configuration.proxies)
    }

    /// Listens and serves. Returns at once, with the address: the port may have been chosen by the kernel.
    /// - Parameter sharing: whether other loops of this process are there already.
    /// - Throws: `SystemError` when the address cannot be had.
    package func start(
        on address: SocketAddress, sharing: Listener.Sharing = .first
    ) throws(SystemError) -> SocketAddress {
        let listener = try Listener(
            address, loop: loop, budget: budget, sharing: sharing,
            onFull: { [ledger, loop] in ledger.findsNoPlace(at: loop.now) },
            onAccept: { [self] stream in assumeIsolated { $0.accept(stream) } })
        try listener.start()
        self.listener = listener
        ledger.onExcess { [weak self, unowned ledger] in
            guard let self else { return ledger.endShedding(of: 0) }
            self.loop.call { self.assumeIsolated { $0.shed() } }
        }
        return listener.address
    }

    /// Takes no further connection; those that are between requests for a second end, the others after their answer. Begins the shared
    /// phase if that has not been done.
    package func drain() async {
        phase.beginDraining()
        isGoing = true
        listener?.takeRest()
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
        var origin = ConnectionOrigin(stream.peer)
        origin.decide(proxies)
        let client = ClientLedger.Client(origin.peerAddress)
        guard admit(client, isProxy: origin.isProxy(proxies), origin.peer) else { return stream.abort() }
        let connection = HTTPConnection(stream, server: self, origin: origin, client: client)
        connections[ObjectIdentifier(connection)] = connection
        connection.assumeIsolated { $0.begin() }
    }

    /// Enters a connection in the ledger; false if its client may have no further one.
    nonisolated func admit(_ client: ClientLedger.Client, isProxy: Bool, _ address: @autoclosure () -> String) -> Bool {
        switch ledger.admit(client, isProxy: isProxy) {
        case .admitted: return true
        case .tooMany: lose(.tooMany, ["peer": .string(address()), "limit": .integer(ledger.connectionsEach)])
        case .crowded: lose(.crowded, ["peer": .string(address()), "limit": .integer(ledger.places)])
        case .tooMuch: lose(.memory, ["peer": .string(address()), "limit_bytes": .integer(ledger.byteLimit)])
        }
        return false
    }

    /// The connection is over. On the loop only; a second call does nothing.
    nonisolated func forget(_ connection: HTTPConnection) {
        assumeIsolated { server in
            guard server.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
            connection.assumeIsolated { server.ledger.leave($0.client) }
        }
    }

    nonisolated var proxies: TrustedProxies { perRequest.proxies }

    /// How many of its connections have a task. On the loop only.
    package nonisolated var taskCount: Int { perRequest.tasks }

    /// How often a connection has begun one: each time its client had something to say after a while. On the loop only.
    package nonisolated var wakeCount: Int { perRequest.wakes }

    /// Whether it takes no further connection. On the loop only.
    private(set) nonisolated var isGoing: Bool {
        get { perRequest.isGoing }
        set { perRequest.isGoing = newValue }
    }

    nonisolated func taskBegins() {
        perRequest.tasks += 1
        perRequest.wakes &+= 1
    }

    nonisolated func taskEnds() {
        perRequest.tasks -= 1
    }

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
        var tasks = 0
        var wakes = 0
        var isGoing = false

        init(ids: RequestIDSource, date: DateField, proxies: TrustedProxies) {
            self.ids = ids
            self.date = date
            self.proxies = proxies
        }
    }
}

/// Whether a process takes requests or is on its way out. Shared by all its loops; read once a request.
package final class ServerPhase: Sendable {
    private let isDraining = Atomic<Bool>(false)

    package init() {}

    /// True from the first sign of the end: every response then closes its connection.
    package var drains: Bool { isDraining.load(ordering: .relaxed) }

    /// From now on the process is on its way out. From any thread; there is no way back.
    package func beginDraining() {
        isDraining.store(true, ordering: .relaxed)
    }
}

/// The value of the `Date` field, rendered once a second. Confined to one loop's server.
struct DateField {
    private let clock: @Sendable () -> Timestamp
    private var validUntil = Instant(nanoseconds: 0)
    private var rendered: [UInt8] = []

    init(clock: @escaping @Sendable () -> Timestamp) {
        self.clock = clock
    }

    /// The date as an IMF-fixdate (RFC 9110 §5.6.7), at most a second old.
    mutating func bytes(at now: Instant) -> [UInt8] {
        if now < validUntil { return rendered }
        let time = clock()
        rendered = [UInt8](time.httpDate.utf8)
        validUntil = now + .milliseconds(1000 - time.milliseconds % 1000)
        return rendered
    }
}
