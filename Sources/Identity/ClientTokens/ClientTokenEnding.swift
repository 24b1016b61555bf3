import Postgres
import Text

/// Ends the access tokens of a client, once no copy takes it any more for what it was: after it has been disabled or deleted,
/// or a secret of it has been ended. The job is entered in the transaction of the change, so that it waits for a Redis that is away.
struct ClientTokenEnding: Sendable {
    /// Beyond the time for which a copy remembers a client.
    static let margin: Duration = .seconds(2)
    static let life: Duration = .seconds(86_400)

    let clientID: ClientID
    /// Whether the client is gone, with all that its users had given it.
    let isOfDeleted: Bool

    func job(_ id: UUID, after delay: Duration) -> NewJob {
        var payload = JSONObject()
        payload["client"] = .string(clientID.text)
        if isOfDeleted { payload["deleted"] = true }
        return NewJob(id: id, .clientTokenEnding, payload: payload, delay: delay, life: Self.life)
    }

    init(clientID: ClientID, isOfDeleted: Bool = false) {
        self.clientID = clientID
        self.isOfDeleted = isOfDeleted
    }

    /// Enters it in the transaction that ends the client's right to tokens.
    func enter(
        in transaction: Transaction, _ jobs: JobQueue, _ sessions: Sessions, _ system: SystemContext
    ) async throws(IdentityError) {
        let job = job(system.uuid(), after: await sessions.clients.lifetime + Self.margin)
        try await jobs.enter(job, in: transaction, at: system.statementTime)
    }

    /// Nil for what is of another version.
    init?(_ job: Job) {
        guard let clientID = job.payload["client"]?.stringValue.flatMap({ ClientID($0) }) else { return nil }
        self.init(clientID: clientID, isOfDeleted: job.payload["deleted"]?.boolValue ?? false)
    }
}

/// Carries out `ClientTokenEnding`.
package struct ClientTokenEndingHandler: JobHandler {
    package let kind = JobKind.clientTokenEnding
    package let policy = JobPolicy(lease: .seconds(120), backOff: JobBackOff(first: .seconds(2), longest: .seconds(60)))

    private let clients: ClientStore
    private let tokens: ClientTokens
    private let remains: ClientRemains

    package init(clients: ClientStore, tokens: ClientTokens, remains: ClientRemains) {
        self.clients = clients
        self.tokens = tokens
        self.remains = remains
    }

    package func carryOut(_ job: Job) async -> JobOutcome {
        guard let ending = ClientTokenEnding(job) else { return .hopeless("it is of another version") }
        let id = ending.clientID
        do throws(IdentityError) {
            let client = try await mapPostgresErrors { () throws(PostgresError) in try await clients.client(id) }
            // One that may go on gets others at once.
            let isRefused = client?.isDisabled ?? true
            try await tokens.endAll(of: id, refusingFor: isRefused ? EndClientTokensScript.refusal : .zero)
            // What a copy has given it that did not know yet. One that was added since has got what there is.
            if isRefused, client != nil || ending.isOfDeleted { try await remains.end(of: id, keepsGrants: client != nil) }
        } catch {
            return .failed("a store does not answer")
        }
        return .done
    }
}
