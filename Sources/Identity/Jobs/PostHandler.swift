import Networking
package import Outbound

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
    private let silences = Silences()
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

    /// As many at once as the client has threads, since an endpoint whose letter waited for one would count as silent; pauses from ten seconds
    /// to an hour, until the life of the job is over.
    package static var policy: JobPolicy {
        var policy = JobPolicy(
            lease: .seconds(120), backOff: JobBackOff(first: .seconds(10), factor: 3, longest: .seconds(3600)))
        policy.parallelism = OutboundConfiguration().threads
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
        let now = Instant.now()
        guard !silences.holds(for: request.url, at: now) else { return .failed("unreachable a moment ago") }
        do throws(OutboundError) {
            let status = try await https.send(request).status
            // 400 is a client's final no (Back-Channel Logout §2.8); others may pass.
            return (200...299).contains(status) ? .done : status == 400 ? .hopeless("status 400") : .failed("status \(status)")
        } catch {
            if Instant.now().since(now) >= Silences.patience { silences.note(request.url, at: now) }
            return .failed("unreachable: \(error)")
        }
    }
}
