package import Logging
import Text

/// Revokes at the providers what is left of identities that are gone. A trigger enters the jobs, so that whatever deletes an identity revokes
/// its tokens; see the migrations.
package struct ProviderRevocations: JobHandler {
    package let kind = JobKind.providerRevocation
    package let policy: JobPolicy = Self.policy

    private let masterKey: MasterKey
    private let revoker: TokenRevoker
    private let audit: AuditLog
    private let system: SystemContext
    private let logger: Logger

    package init(
        masterKey: MasterKey, revoker: TokenRevoker, audit: AuditLog, system: SystemContext, logger: Logger
    ) {
        self.masterKey = masterKey
        self.revoker = revoker
        self.audit = audit
        self.system = system
        self.logger = logger
    }

    /// Twelve attempts span more than a day. What was given up stays for a month with its token, for an operator to have it tried again.
    package static var policy: JobPolicy {
        // No call may last longer than a minute.
        var policy = JobPolicy(
            lease: .seconds(3 * 60), backOff: JobBackOff(first: .seconds(10), factor: 3, longest: .seconds(6 * 3600)))
        policy.maximumAttempts = 12
        policy.keepsSecretGivenUp = true
        return policy
    }

    /// What waits for a provider that cannot be asked goes on waiting.
    package func readiness() async -> JobReadiness {
        .topics(revoker.providers.map(\.text))
    }

    package func carryOut(_ job: Job) async -> JobOutcome {
        guard let owner = ProviderTokenOwner(job), let sealed = job.sealed,
            let token = try? SealedProviderToken(sealed: sealed).open(owner, with: masterKey)
        else { return .hopeless("the token does not open with this master key") }
        do throws(ProviderCallFailure) {
            try await revoker.revoke(token, of: owner)
            return .done
        } catch {
            return .failed(error.description)
        }
    }

    package func didFinish(_ job: Job) async {
        await note(.tokenRevoked, job)
    }

    package func didGiveUp(_ job: Job, because reason: String) async {
        logger.error(
            "a token could not be revoked, and will not be tried again",
            ["provider": .string(job.topic), "id": .string(job.id.description), "failure": .string(reason)])
        await note(.revocationGivenUp, job)
    }

    private func note(_ event: ProviderAudit, _ job: Job) async {
        var detail = JSONObject()
        detail["provider"] = .string(job.topic)
        detail["provider_client_id"] = job.payload["client_id"]
        detail["attempts"] = .integer(Int64(job.attempts))
        await audit.record(
            AuditEvent(id: system.uuid(), time: system.now(), kind: .provider(event), actor: .system, detail: detail))
    }
}

extension ProviderTokenOwner {
    /// As the trigger and `ProviderTokenQueries.keep` write it.
    fileprivate init?(_ job: Job) {
        guard let provider = ProviderID(job.topic), let subject = job.payload["subject"]?.stringValue,
            let clientID = job.payload["client_id"]?.stringValue
        else { return nil }
        self.init(provider: provider, subject: subject, clientID: clientID)
    }
}
