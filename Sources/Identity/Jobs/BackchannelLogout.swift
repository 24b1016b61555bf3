package import Outbound
package import Text

/// Tells a client that one of its sessions is over (OpenID Connect Back-Channel Logout 1.0). The OpenID provider enters it in the transaction
/// that ends the session, or with the end.
package struct BackchannelLogout: Equatable, Sendable {
    /// After that the client's own session is over by itself, or nobody listens.
    package static let life: Duration = .seconds(86_400)

    package let clientID: ClientID
    /// What the client knows the session by; nil to end all of the subject's at the client.
    package let sessionID: String?
    /// What the client knows the user by.
    package let subject: String

    package init(clientID: ClientID, sessionID: String?, subject: String) {
        self.clientID = clientID
        self.sessionID = sessionID
        self.subject = subject
    }

    package func job(_ id: UUID) -> NewJob {
        var payload = JSONObject()
        payload["client"] = .string(clientID.text)
        payload["sid"] = sessionID.map { .string($0) }
        payload["sub"] = .string(subject)
        return NewJob(id: id, .backchannelLogout, payload: payload, life: Self.life)
    }

    /// Nil for what is of another version.
    package init?(_ job: Job) {
        guard let clientID = job.payload["client"]?.stringValue.flatMap({ ClientID($0) }),
            let subject = job.payload["sub"]?.stringValue
        else { return nil }
        self.init(clientID: clientID, sessionID: job.payload["sid"]?.stringValue, subject: subject)
    }
}

/// Posts what jobs of a kind have to say to somebody else's HTTPS endpoint.
package struct PostHandler: JobHandler {
    /// What is to be sent for a job.
    package enum Letter: Sendable {
        case post(OutboundRequest)
        /// Nobody wants to know any more: the job is done.
        case unwanted
        /// It cannot be written.
        case hopeless(String)
        /// It cannot be written now, such as without a key to sign with.
        case later(String)
    }

    package let kind: JobKind
    package let policy: JobPolicy

    private let https: HTTPSClient
    private let write: @Sendable (Job) async -> Letter

    /// - Parameters:
    ///   - https: with a deadline that is shorter than the lease.
    ///   - write: makes the request anew for each attempt, because what it signs has to be fresh.
    package init(
        _ kind: JobKind, policy: JobPolicy = Self.policy, https: HTTPSClient, write: @escaping @Sendable (Job) async -> Letter
    ) {
        self.kind = kind
        self.policy = policy
        self.https = https
        self.write = write
    }

    /// Eight at once; pauses from ten seconds to an hour, until the life of the job is over.
    package static var policy: JobPolicy {
        var policy = JobPolicy(
            lease: .seconds(120), backOff: JobBackOff(first: .seconds(10), factor: 3, longest: .seconds(3600)))
        policy.parallelism = 8
        return policy
    }

    package func carryOut(_ job: Job) async -> JobOutcome {
        let request: OutboundRequest
        switch await write(job) {
        case .post(let letter): request = letter
        case .unwanted: return .done
        case .hopeless(let reason): return .hopeless(reason)
        case .later(let reason): return .failed(reason)
        }
        do throws(OutboundError) {
            let status = try await https.send(request).status
            // 400 is a client's final no (Back-Channel Logout §2.8); others may pass.
            return (200...299).contains(status) ? .done : status == 400 ? .hopeless("status 400") : .failed("status \(status)")
        } catch {
            return .failed("unreachable: \(error)")
        }
    }
}
