import Networking
import Redis
import Text

extension Limiter {
    /// Empties the budgets that an address, an account, or the one at the other, has used up: all that are told apart by nothing else.
    /// - Parameter address: an IP address.
    /// - Returns: how many had been used.
    /// - Throws: `IdentityError.unavailable`.
    package func lift(
        address: String?, account: EmailAddress?, by actor: AuditEvent.Actor, caller: Caller
    ) async throws(IdentityError) -> Int {
        let keys = LimitBucket.allCases.flatMap { bucket in
            subjects(of: bucket, address, account).map { key.bucket(LimitAttempt.Charge(bucket, subject: $0)) }
        }
        guard !keys.isEmpty else { return 0 }
        var command = RedisCommand("DEL")
        for key in keys { command.append(key) }
        let sent = command
        let reply = try await mapRedisErrors { () throws(RedisError) in try await redis.send(sent) }
        var detail = JSONObject()
        detail["address"] = address.map { .string($0) }
        detail["account"] = account.map { .string($0.normalized) }
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: system.now(), kind: .limitLifted, actor: actor, address: caller.address,
                referenceID: caller.referenceID, detail: detail))
        return Int(reply.integerValue ?? 0)
    }

    /// None for what is told apart by more, or by something else.
    private func subjects(of bucket: LimitBucket, _ address: String?, _ account: EmailAddress?) -> [[String]] {
        let networks = address.map { [ClientNetwork($0).text] } ?? []
        let accounts = account.map { [$0.normalized] } ?? []
        return switch bucket.kind {
        case .account: accounts.map { [$0] }
        case .recipient: accounts.flatMap { account in Mail.Kind.allCases.map { [account, $0.rawValue] } }
        case .address: networks.map { [$0] }
        case .accountAddress: accounts.flatMap { account in networks.map { [account, $0] } }
        case .knownDevice, .device, .client, .site, .session, .identity: []
        }
    }
}
