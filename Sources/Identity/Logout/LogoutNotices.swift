import Crypto
package import Logging
package import Networking
import Text

/// Has the clients of a session that has ended told of it (OpenID Connect Back-Channel Logout 1.0), whatever has ended it.
///
/// The jobs are entered behind the back of whoever ends the session: that may hold a user's row, and must not wait for a second connection
/// to PostgreSQL. While PostgreSQL is away the ends wait here, up to a bound.
package actor LogoutNotices {
    private struct End: Sendable {
        let clientID: ClientID
        let sessionID: SessionID
        let userID: UserID
    }

    private static let capacity = 10_000
    private static let pause: Duration = .seconds(1)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let jobs: JobQueue
    private let clients: ClientRegistry
    private let system: SystemContext
    private let logger: Logger
    private var waiting: [End] = []
    private var isEntering = false
    private var isOpen = true

    package init(jobs: JobQueue, clients: ClientRegistry, system: SystemContext, loop: EventLoop, logger: Logger) {
        self.jobs = jobs
        self.clients = clients
        self.system = system
        self.loop = loop
        self.logger = logger
    }

    /// Whether one of these clients is told of the ends of its sessions, or may be: nobody waits for PostgreSQL to know.
    nonisolated func isHeard(by clientIDs: [ClientID]) async -> Bool {
        for clientID in Set(clientIDs) {
            guard let client = await clients.known(clientID), client.backChannelLogout == nil else { return true }
        }
        return false
    }

    /// Takes in which clients have got something from a session that has ended. Returns at once.
    func enter(endOf id: SessionID, of userID: UserID, for clientIDs: [ClientID]) {
        for clientID in Set(clientIDs) {
            guard waiting.count < Self.capacity else {
                logger.warning("a client is not told of the end of a session", ["client_id": .string(clientID.text)])
                continue
            }
            waiting.append(End(clientID: clientID, sessionID: id, userID: userID))
        }
        guard isOpen, !isEntering, !waiting.isEmpty else { return }
        isEntering = true
        loop.start { await self.enterWaiting() }
    }

    /// Enters what is still waiting, and ends. What PostgreSQL does not take now is lost, and in the log.
    package func close() async {
        isOpen = false
        while isEntering { await loop.sleep(for: .milliseconds(1)) }
        await enterWaiting()
        guard !waiting.isEmpty else { return }
        logger.warning("clients are not told of the ends of sessions", ["count": .integer(waiting.count)])
    }

    private func enterWaiting() async {
        defer { isEntering = false }
        while let end = waiting.first {
            do throws(IdentityError) {
                try await enter(end)
                waiting.removeFirst()
            } catch {
                guard error.isOurs else {
                    waiting.removeFirst()
                    continue
                }
                guard isOpen else { return }
                await loop.sleep(for: Self.pause)
            }
        }
    }

    private func enter(_ end: End) async throws(IdentityError) {
        let client: Client
        do throws(IdentityError) {
            client = try await clients.client(end.clientID.text).client
        } catch .invalidClient {
            // A client that is disabled, or gone, is one that there is not.
            return
        }
        guard client.backChannelLogout != nil else { return }
        let logout = BackchannelLogout(
            clientID: end.clientID, sessionID: end.sessionID.text, subject: end.userID.description)
        // Whoever repeats the end enters the same job.
        let name = SHA256.hash("backchannel_logout:\(end.clientID):\(end.sessionID)")
        guard let id = UUID(bytes: Array(name.bytes.prefix(16))) else { throw .fault() }
        try await jobs.enter(logout.job(id), at: system.statementTime)
    }
}
