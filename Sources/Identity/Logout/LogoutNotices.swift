package import Logging
import Text

/// Has the clients of a session that has ended told of it (OpenID Connect Back-Channel Logout 1.0), whatever has ended it.
package struct LogoutNotices: Sendable {
    private let jobs: JobQueue
    private let clients: ClientRegistry
    private let system: SystemContext
    private let logger: Logger

    package init(jobs: JobQueue, clients: ClientRegistry, system: SystemContext, logger: Logger) {
        self.jobs = jobs
        self.clients = clients
        self.system = system
        self.logger = logger
    }

    /// Enters a job for each client that has got something from the session and wants to know. The session is over already, so what cannot be
    /// entered fails nothing, and is in the log.
    func enter(endOf id: SessionID, of userID: UserID, for clientIDs: [ClientID]) async {
        for clientID in Set(clientIDs) {
            do throws(IdentityError) {
                // A client that is disabled, or gone, is one that there is not.
                guard let client = try? await clients.client(clientID.text).client, client.backChannelLogout != nil else {
                    continue
                }
                let logout = BackchannelLogout(clientID: clientID, sessionID: id.text, subject: userID.description)
                try await jobs.enter(logout.job(system.uuid()), at: system.statementTime)
            } catch {
                logger.warning(
                    "a client is not told of the end of a session", ["client_id": .string(clientID.text), "error": "\(error)"])
            }
        }
    }
}
