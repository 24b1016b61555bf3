import Dispatch
import Glibc
import Logging
import Networking
import TestSupport
import Testing
import Text

@testable import HTTP
@testable import Routing

/// An HTTP server with a few routes, for clients that block on threads of their own.
final class TestServer: Sendable {
    /// What its clock always says.
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// The id that it makes for its request of that number.
    static func requestID(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "0123456789abcdef-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    static let bigSize = 16 << 20

    let port: UInt16
    /// Holds the requests to `/slow`.
    let gate = Gate()
    /// The paths that were asked for, in the order of their answers.
    let served = Locked<[String]>([])

    /// What its clients take.
    let ledger: ClientLedger

    private let loop: EventLoop
    private let budget: ConnectionBudget
    private let phase = ServerPhase()
    private let server: HTTPServer

    init(
        limits: Limits = .with(), connections: Int, ledger: ClientLedger = ClientLedger(connectionsEach: 5000),
        proxies: TrustedProxies = TrustedProxies(), port: UInt16 = 0
    ) async throws {
        loop = try SharedLoops.next()
        self.ledger = ledger
        budget = ConnectionBudget(wanted: connections)
        let clock: @Sendable () -> Timestamp = { Timestamp(seconds: 784_111_777) }
        let configuration = HTTPServer.Configuration(
            limits: limits, budget: budget, ledger: ledger, phase: phase, proxies: proxies, clock: clock)
        let api = RouteGroup(name: "test", routes: Self.routes(gate, served), documentation: .plainText("For tests.")) {
            failure, _ in
            .text(failure.status, "\(failure.reason)")
        }
        server = try HTTPServer(
            configuration, handler: Router(apis: [api]), loop: loop, logger: .disabled, random: 0x0123_4567_89ab_cdef)
        guard case .ip(_, let port) = try await server.start(on: .ip(.v4(0x7F00_0001), port: port)) else { throw Unexpected() }
        self.port = port
    }

    private static func routes(_ gate: Gate, _ served: Locked<[String]>) -> [Route] {
        func route(_ method: HTTP.Method, _ path: String, _ handler: @escaping Route.Handler) -> Route {
            Route(method, path, documentation: .undocumented) { request in
                served.withLock { $0.append(request.head.path) }
                return await handler(request)
            }
        }
        let big = [UInt8](repeating: UInt8(ascii: "b"), count: bigSize)
        return [
            route(.get, "/") { _ in .text(.ok, "home") },
            route(.post, "/echo") { Response(.ok, contentType: "application/octet-stream", body: $0.body) },
            route(.get, "/big") { _ in Response(.ok, contentType: "text/plain; charset=utf-8", body: big) },
            route(.get, "/shared") { _ in
                Response(.ok, contentType: "text/plain; charset=utf-8", body: big).sharingBody
            },
            route(.get, "/endless") { _ in
                var response = Response(.ok, contentType: "text/plain; charset=utf-8")
                response.endlessBody = EndlessText()
                return response
            },
            route(.get, "/empty") { _ in .empty(.noContent) },
            route(.get, "/quit") { _ in .empty(.noContent) },
            route(.get, "/hidden") { _ in .text(.ok, "hidden") },
            route(.get, "/number/{number}") { .text(.ok, $0.pathParameters[0]) },
            route(.get, "/client") { .text(.ok, $0.origin.client) },
            route(.get, "/peer") { .text(.ok, $0.origin.peer) },
            route(.get, "/redirect/{to}") { .empty(.found, fields: ["Location": $0.pathParameters[0]]) },
            route(.get, "/slow") { _ in
                await gate.pass()
                return .text(.ok, "slow")
            },
            Route(.post, "/json", accepts: .json, documentation: .undocumented) { Response(.ok, body: $0.body) },
        ]
    }

    /// How many connections it holds.
    var connectionCount: Int { budget.count }

    /// Responses close their connections from now on.
    func beginDraining() {
        phase.beginDraining()
    }

    /// Starts to drain, without waiting for it.
    func drain() {
        let server = server
        loop.start { await server.drain() }
    }

    /// Has other proxies trusted from now on.
    func trust(_ proxies: TrustedProxies) throws {
        let server = server
        try onLoop { await server.trust(proxies) }
    }

    /// What was said of addresses and not believed.
    var refusals: [ForwardedRefusal: UInt64] {
        get throws {
            let server = server
            return try onLoop { await server.run { server.metrics.forwardedRefusals } }
        }
    }

    /// Blocks until the loop has done it.
    private func onLoop<T: Sendable>(_ body: @escaping @Sendable () async -> T) throws -> T {
        let result = Locked<T?>(nil)
        loop.start {
            let value = await body()
            result.withLock { $0 = value }
        }
        try wait { result.value != nil }
        guard let value = result.value else { throw Unexpected() }
        return value
    }

    /// Has nothing else happen on the loop until `body` has returned.
    func whileLoopStands(_ body: () throws -> Void) throws {
        let (stands, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.start {
            stands.signal()
            Self.block(on: goesOn)
        }
        stands.wait()
        defer { goesOn.signal() }
        try body()
    }

    /// Has connections that are idle give way after `body`, of which the loop has been told nothing by then.
    func endIdle(after body: () throws -> Void) throws {
        let (stands, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = server
        loop.start {
            stands.signal()
            Self.block(on: goesOn)
            await server.endIdle()
        }
        stands.wait()
        defer { goesOn.signal() }
        try body()
    }

    /// Starts to drain after `body`, of which the loop has been told nothing by then.
    func drain(after body: () throws -> Void) throws {
        let (stands, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = server
        loop.start {
            stands.signal()
            Self.block(on: goesOn)
            await server.drain()
        }
        stands.wait()
        defer { goesOn.signal() }
        try body()
    }

    private static func block(on semaphore: DispatchSemaphore) {
        semaphore.wait()
    }

    /// What was closed upon clients.
    var losses: [ConnectionLoss: UInt64] {
        get throws {
            let server = server
            return try onLoop { await server.run { server.metrics.losses } }
        }
    }

    /// How many of its connections have a task.
    var taskCount: Int {
        get throws {
            let server = server
            return try onLoop { await server.run { server.taskCount } }
        }
    }

    /// How many bytes of answers its connections have not been able to send.
    var unsentCount: Int {
        get throws {
            let server = server
            return try onLoop { await server.unsentCount }
        }
    }

    /// Connects a client.
    /// - Parameter address: of the client, one of 127.0.0.0/8.
    func connect(from address: String? = nil, receiveBuffer: Int32? = nil) throws -> TestSocket {
        try TestSocket(connectingTo: port, from: address, receiveBuffer: receiveBuffer)
    }

    /// Everything that comes back for `text` when it is all that is sent.
    func answer(to text: String) throws -> String {
        try answer(to: [UInt8](text.utf8))
    }

    func answer(to bytes: [UInt8]) throws -> String {
        let client = try connect()
        try client.send(bytes)
        client.endSending()
        return try client.receiveText()
    }

    fileprivate func stop() async throws {
        gate.open()
        await server.drain()
        while connectionCount > 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
}

extension HTTPServer {
    fileprivate var unsentCount: Int { connections.values.reduce(0) { $0 + $1.stream.unsentCount } }
}

struct Unexpected: Error {}

/// Runs `script`, which may block, against a server, and then expects every connection to be gone.
func withServer(
    limits: Limits = .with(), connections: Int = 5000, ledger: ClientLedger = ClientLedger(connectionsEach: 5000),
    proxies: TrustedProxies = TrustedProxies(), _ script: @escaping @Sendable (TestServer) throws -> Void
) async throws {
    let server = try await TestServer(limits: limits, connections: connections, ledger: ledger, proxies: proxies)
    do {
        try await onThread { try script(server) }
    } catch {
        try await server.stop()
        throw error
    }
    try await server.stop()
}

/// Blocks the thread until `condition` holds, for as long as a test is willing to wait.
func wait(until condition: () -> Bool) throws {
    for _ in 0..<(TestSocket.patience * 1000) {
        if condition() { return }
        usleep(1000)
    }
    throw Unexpected()
}

extension Limits {
    /// The defaults, with the time that a busy machine may take for what is no matter of time, and changed.
    static func with(_ change: (inout Limits) -> Void = { _ in }) -> Limits {
        var limits = Limits()
        limits.headTimeout = .seconds(120)
        limits.bodyTimeout = .seconds(120)
        limits.idleTimeout = .seconds(120)
        limits.writeTimeout = .seconds(120)
        change(&limits)
        return limits
    }
}

extension TestSocket {
    func receiveText() throws -> String {
        String(decoding: try receiveAll(), as: UTF8.self)
    }

    /// Expects exactly these bytes next.
    func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var received: [UInt8] = []
        while received.count < text.utf8.count {
            let more = try receive(atMost: text.utf8.count - received.count)
            if more.isEmpty { break }
            received += more
        }
        #expect(String(decoding: received, as: UTF8.self) == text, sourceLocation: sourceLocation)
    }

    /// Expects the end of the server's stream next.
    func expectEnd(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try receiveText() == "", sourceLocation: sourceLocation)
    }
}

extension RouteDocumentation {
    /// For routes that only tests have.
    fileprivate static var undocumented: RouteDocumentation { RouteDocumentation("For tests.", responses: []) }
}

extension HTTPServer {
    fileprivate func endIdle() {
        for connection in connections.values { _ = connection.assumeIsolated { $0.endIdle() } }
    }
}

/// Has as much to say as `/big`, in many parts.
private final class EndlessText: EndlessBody {
    func begin(_ writer: BodyWriter) {
        let part = [UInt8](repeating: UInt8(ascii: "e"), count: 1024)
        for _ in 0..<TestServer.bigSize / part.count { writer.write(part) }
    }

    func end() {}
}
