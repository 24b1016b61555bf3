public import Foundation
package import KidobanTransport

/// Signs a user in and keeps them signed in: one for each app, used by all of its tasks.
///
/// Nothing but the server's word ends a session here. A lost connection, a server that is away and a storage that is locked are errors of the
/// call in which they occur; the next call may succeed.
public actor KidobanClient {
    public struct Configuration: Sendable {
        /// Whether each refresh changes the refresh token, so that a stolen one is noticed.
        public var rotatesRefreshToken = true
        /// For each request, in seconds.
        public var deadline: TimeInterval = 15
        /// How long a refresh waits at most, in all, for a server that says `Retry-After` or does not answer.
        public var patience: TimeInterval = 10
        /// What the user reads in the list of devices. By default what the system's HTTP library calls itself.
        public var userAgent: String?
        /// Path components before `/auth`, if the server has any (`KIDOBAN_ECHOLOG_PREFIX`).
        public var pathPrefix = ""

        public init() {}
    }

    /// Whether somebody is signed in.
    public enum State: Sendable, Equatable {
        case signedIn(User)
        /// With the reason when it was the server's doing.
        case signedOut(SessionEnd?)
    }

    let server: URL
    let configuration: Configuration
    let transport: any HTTPTransport
    let clock: SystemClock
    let refreshes = SingleFlight<String, KidobanError>()
    let farewells = SingleFlight<Bool, KidobanError>()
    private let storage: any TokenStorage

    /// Nil until it has been read.
    private var loaded: StoredState?
    /// Whether the storage holds less than we know: a write failed and is repeated.
    private var isUnsaved = false
    private var changeCount = 0
    private var writing: Task<Bool, Never>?
    private var listeners: [UUID: AsyncStream<State>.Continuation] = [:]
    /// Changes with each sign-in and sign-out: what began before has no say in what is after.
    private(set) var epoch = 0
    private(set) var lastEnd: SessionEnd?
    /// The server asked not to be called before.
    var restsUntil: Date?
    /// How often a refresh token was sent.
    package var refreshCount = 0

    /// - Parameter server: where Kidoban is, for example `https://id.example.com`.
    public init(_ server: URL, storage: any TokenStorage, configuration: Configuration = Configuration()) {
        self.init(
            server, storage: storage, configuration: configuration,
            transport: URLSessionTransport(deadline: configuration.deadline, connections: 4))
    }

    package init(
        _ server: URL, storage: any TokenStorage, configuration: Configuration = Configuration(),
        transport: any HTTPTransport, clock: SystemClock = .real
    ) {
        self.server = server
        self.storage = storage
        self.configuration = configuration
        self.transport = transport
        self.clock = clock
    }

    // MARK: Who is signed in

    /// The signed-in user as the server last described them; nil when nobody is.
    public var user: User? {
        get async throws(KidobanError) { try await state().session?.user }
    }

    /// The present state and each that follows. Who is slow gets the latest only.
    public nonisolated func states() -> AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = UUID()
            continuation.onTermination = { _ in Task { await self.unsubscribe(id) } }
            Task { await self.subscribe(id, continuation) }
        }
    }

    private func subscribe(_ id: UUID, _ continuation: AsyncStream<State>.Continuation) async {
        listeners[id] = continuation
        // What cannot be read now is said as soon as it can.
        guard loaded != nil else { return _ = try? await state() }
        publish(to: id, continuation)
    }

    private func unsubscribe(_ id: UUID) {
        listeners[id] = nil
    }

    private var present: State { loaded?.session.map { .signedIn($0.user) } ?? .signedOut(lastEnd) }

    // MARK: What is stored

    func state() async throws(KidobanError) -> StoredState {
        if let loaded { return loaded }
        let stored = try await read()
        // Another task may have been faster, and may have changed something already.
        if let loaded { return loaded }
        let state = stored ?? StoredState()
        loaded = state
        publish()
        if !state.endings.isEmpty { Task { await self.finishSignOuts() } }
        return state
    }

    private func read() async throws(KidobanError) -> StoredState? {
        do {
            // Bytes that are no state are of no use to anybody.
            return try await storage.load().flatMap { try? JSONDecoder().decode(StoredState.self, from: $0) }
        } catch {
            throw .storage(String(describing: error))
        }
    }

    /// Takes over what another process of the app has stored since: an extension that has refreshed, or signed out.
    func adoptStored() async throws(KidobanError) {
        let seen = changeCount
        guard !isUnsaved, let before = loaded?.session, let stored = try await read() else { return }
        let isNews = stored.session?.accessToken != before.accessToken || stored.session?.refreshToken != before.refreshToken
        guard isNews, changeCount == seen else { return }
        changeCount += 1
        loaded = stored
        if stored.session?.user != before.user { publish() }
    }

    /// Changes the state and stores it. A storage that fails keeps nobody from going on: the next change stores again.
    /// - Returns: whether it was stored.
    @discardableResult
    func change(_ body: (inout StoredState) -> Void) async throws(KidobanError) -> Bool {
        var changed = try await state()
        if let loaded { changed = loaded }
        let before = changed.session?.user
        body(&changed)
        changeCount += 1
        loaded = changed
        isUnsaved = true
        if before != changed.session?.user { publish() }
        return await store()
    }

    /// One write at a time, and the last one has the last state.
    private func store() async -> Bool {
        if let writing { return await writing.value }
        let task = Task { await self.writeState() }
        writing = task
        return await task.value
    }

    private func writeState() async -> Bool {
        defer { writing = nil }
        while isUnsaved {
            let count = changeCount
            do {
                try await storage.save(try JSONEncoder().encode(loaded))
            } catch {
                return false
            }
            isUnsaved = changeCount != count
        }
        return true
    }

    func beginEpoch(endedBy end: SessionEnd? = nil) {
        epoch += 1
        lastEnd = end
        restsUntil = nil
    }

    private func publish() {
        for (id, listener) in listeners { publish(to: id, listener) }
    }

    private func publish(to id: UUID, _ listener: AsyncStream<State>.Continuation) {
        if case .terminated = listener.yield(present) { listeners[id] = nil }
    }
}
