public import Foundation
import KidobanTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Follows `GET /oauth2/revocations`: what ends before its time is known here some milliseconds later. One for each backend process.
///
/// The connection is opened again by itself and goes on where it was cut, so that nothing is missed. While it is cut, the feed does not vouch
/// for any token; what that means is the verifier's to decide.
public final class RevocationFeed: Sendable {
    /// The state of the feed, for a health page.
    public enum Status: Sendable, Equatable {
        case connecting
        /// Everything that ends is told here.
        case live
        /// The server does not let us listen: 401 or 403 for the client, 404 where the feed is off, 429 for too many listeners.
        case refused(status: Int)
    }

    enum Verdict: Equatable {
        case good, revoked
        /// The feed is cut, or the token is older than what it has told.
        case unknown
    }

    /// A moment at which the feed told everything.
    struct Mark: Sendable, Equatable {
        fileprivate let generation: UInt64
    }

    typealias Stream = AsyncThrowingStream<Data, any Error>

    private struct State: Sendable {
        var list: RevocationList
        var status = Status.connecting
        /// The last event, to go on behind it.
        var cursor: String?
        var heardAt = Date.distantPast
        var task: Task<Void, Never>?
    }

    /// The server has something to say every five seconds.
    static let silence: TimeInterval = 15
    /// By how much clocks of the servers may differ.
    static let leeway: TimeInterval = 5

    private let url: URL
    private let authorization: String
    private let clock: SystemClock
    private let open: @Sendable (URLRequest) -> Stream
    private let state: Locked<State>

    /// - Parameters:
    ///   - memory: so many ends are remembered at most. Of tokens that are older than what was left out, the feed then cannot tell.
    ///   - retention: no access token lives longer, in seconds.
    public convenience init(
        server: URL, client: ClientCredentials, memory: Int = 100_000, retention: TimeInterval = 86_400
    ) {
        self.init(server: server, client: client, memory: memory, retention: retention, clock: .real) { ByteStream.open($0) }
    }

    init(
        server: URL, client: ClientCredentials, memory: Int, retention: TimeInterval, clock: SystemClock,
        open: @escaping @Sendable (URLRequest) -> Stream
    ) {
        url = server.below("oauth2/revocations")
        authorization = client.authorization
        self.clock = clock
        self.open = open
        state = Locked(State(list: RevocationList(most: memory, retention: retention)))
    }

    /// Begins to listen, until `stop()`; more than once is once.
    public func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task {
                var pause: TimeInterval = 0
                while !Task.isCancelled {
                    pause = await listen(after: pause)
                    try? await clock.sleep(pause)
                }
            }
        }
    }

    public func stop() {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
            state.status = .connecting
        }
    }

    public var status: Status { state.withLock { isCurrent($0) ? .live : $0.status == .live ? .connecting : $0.status } }

    // MARK: What it says of tokens

    func verdict(on token: VerifiedToken) -> Verdict {
        state.withLock { state in
            if state.list.holds(token) { return .revoked }
            return isCurrent(state) && state.list.isComplete(for: token) ? .good : .unknown
        }
    }

    /// Nil while the feed is cut.
    var mark: Mark? {
        state.withLock { isCurrent($0) ? Mark(generation: $0.list.generation) : nil }
    }

    /// Whether a token that was good at a moment still is.
    func isGood(_ token: VerifiedToken, since mark: Mark) -> Bool {
        state.withLock { isCurrent($0) && $0.list.generation == mark.generation && !$0.list.holds(token) }
    }

    private func isCurrent(_ state: State) -> Bool {
        state.status == .live && (0..<Self.silence).contains(clock.now().timeIntervalSince(state.heardAt))
    }

    // MARK: Listening

    /// Listens until the connection is cut.
    /// - Returns: for how many seconds to pause before the next time.
    private func listen(after pause: TimeInterval) async -> TimeInterval {
        defer { state.withLock { if $0.status == .live { $0.status = .connecting } } }
        let began = clock.now()
        do {
            try await read()
        } catch let refusal as ByteStream.Refused {
            let isFinal = (400..<500).contains(refusal.status)
            state.withLock { state in
                if isFinal { state.status = .refused(status: refusal.status) }
                // A cursor that the server does not understand would keep us out for ever.
                if refusal.status == 400 { state.cursor = nil }
            }
            return max(refusal.retryAfter ?? 0, isFinal ? 10 : Self.longer(pause))
        } catch {
            // Cut, silent or malformed.
        }
        return clock.now().timeIntervalSince(began) > 10 ? 0.05 : Self.longer(pause)
    }

    private static func longer(_ pause: TimeInterval) -> TimeInterval {
        min(max(pause * 2, 0.05), 5) * Double.random(in: 0.8...1.2)
    }

    /// Reads events as they come, and gives up when nothing comes.
    private func read() async throws {
        let stream = open(request)
        state.withLock { $0.heardAt = clock.now() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                var parser = EventStreamParser()
                var listening = Listening(resumes: state.withLock { $0.cursor } != nil)
                for try await bytes in stream {
                    let events = try parser.parse(bytes)
                    take(events, of: bytes, &listening)
                }
            }
            group.addTask { [self] in
                while true {
                    let heardAt = state.withLock { $0.heardAt }
                    let left = Self.silence - clock.now().timeIntervalSince(heardAt)
                    guard left > 0 else { throw URLError(.timedOut) }
                    try await clock.sleep(left)
                }
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    private var request: URLRequest {
        var request = URLRequest(url: url)
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let cursor = state.withLock({ $0.cursor }) { request.setValue(cursor, forHTTPHeaderField: "Last-Event-ID") }
        return request
    }

    /// One connection.
    private struct Listening {
        /// Goes on behind an event that was heard before, and has not heard all since.
        var resumes: Bool
        var isReady = false
    }

    private struct Ended: Decodable {
        let jti: String?
        let sid: String?
        let client_id: String?
        let iat: Double?
    }

    private func take(_ events: [ServerSentEvent], of bytes: Data, _ listening: inout Listening) {
        let now = clock.now()
        state.withLock { state in
            if !bytes.isEmpty { state.heardAt = now }
            for event in events { take(event, now, &state, &listening) }
            // After a cut the server tells what was missed first, and then `current` or `reset`. Nothing else says that it is through: signs of
            // life come in between.
            if listening.isReady, !listening.resumes { state.status = .live }
        }
    }

    private func take(_ event: ServerSentEvent, _ now: Date, _ state: inout State, _ listening: inout Listening) {
        if let id = event.id { state.cursor = id }
        let ended = try? JSONDecoder().decode(Ended.self, from: Data(event.data.utf8))
        let time = ended?.iat.map { Date(timeIntervalSince1970: $0) } ?? now
        switch event.name {
        case "ready":
            listening.isReady = true
            if !listening.resumes { state.list.beginAnew(at: Self.beginning(event.id, now)) }
        case "current": listening.resumes = false
        case "token_revoked": if let jti = ended?.jti { state.list.insert(.token(jti), at: time) }
        case "session_ended": if let sid = ended?.sid { state.list.insert(.session(sid), at: time) }
        case "client_ended": if let client = ended?.client_id { state.list.insert(.client(client), at: time) }
        case "reset":
            listening = Listening(resumes: false, isReady: true)
            state.list.beginAnew(at: Self.beginning(event.id, now))
        default: break
        }
    }

    /// From when on everything is told: the time of the last event before, which is the first part of its id, in milliseconds.
    private static func beginning(_ id: String?, _ now: Date) -> Date {
        let milliseconds = id.flatMap { $0.split(separator: "-").first }.flatMap { Double($0) } ?? 0
        let time = milliseconds > 0 ? Date(timeIntervalSince1970: milliseconds / 1000) : now
        return min(time, now).addingTimeInterval(leeway)
    }
}
