import Networking
package import Redis
import Text

/// Counts attempts in Redis, for all copies together, and refuses those beyond the budgets: one for each loop.
///
/// An attempt is counted before anything is done for it, in one call. Without Redis nothing is allowed: the answer is then that the
/// service is away, never that there is no limit.
package final class Limiter: Sendable {
    /// What an attempt has taken.
    struct Ticket: Sendable {
        struct Unit: Sendable {
            let key: String
            let gcra: GCRA
            let mark: LimitRule.Mark
            let isRefunded: Bool
        }

        fileprivate(set) var units: [Unit] = []
        fileprivate var acquaintance: LimitAttempt.Acquaintance?
        fileprivate var standing: LimitStanding?
    }

    /// An attempt that another script counts together with what it does: all its buckets hold for everybody.
    struct Charge: Sendable {
        /// What it is about keeps the first itself, if there is this one.
        let own: GCRA?
        fileprivate let buckets: [Bucket]
        fileprivate let isTold: Bool

        private var others: ArraySlice<Bucket> { buckets.dropFirst(own == nil ? 0 : 1) }

        var keys: [String] { others.map(\.key) }

        /// As `LimitScript.counting` takes them.
        var packed: [UInt8] { LimitScript.packed(others.map { ($0.gcra, $0.condition) }) }
    }

    fileprivate struct Bucket {
        let kind: LimitBucket
        let key: String
        let condition: LimitCondition
        let gcra: GCRA
    }

    private static let take = TimedScript(name: "limit", source: LimitScript.source)
    private static let refund = TimedScript(name: "limit_refund", source: LimitRefundScript.source)

    /// Of this loop; may be replaced at any time.
    package let slot: LoopSlot<LimitSettings>
    let redis: RedisConnection
    let key: LimitKey
    let audit: AuditLog
    private let metrics: IdentityMetrics
    let system: SystemContext
    private let notices = LimitNotices()
    private let sprays = SprayWatch()

    package init(
        slot: LoopSlot<LimitSettings>, redis: RedisConnection, key: LimitKey, audit: AuditLog, metrics: IdentityMetrics,
        system: SystemContext
    ) {
        self.slot = slot
        self.redis = redis
        self.key = key
        self.audit = audit
        self.metrics = metrics
        self.system = system
    }

    /// Does what is limited. What has succeeded, or failed by our fault, does not count; and who has succeeded where a caller can be known
    /// is known from then on.
    /// - Throws: `IdentityError.tooManyRequests`, `unavailable`, and what `body` throws.
    func limiting<T>(
        _ attempt: LimitAttempt, _ caller: Caller, _ body: () async throws(IdentityError) -> T
    ) async throws(IdentityError) -> T {
        let ticket = try await take(attempt, caller)
        let value: T
        do throws(IdentityError) {
            value = try await body()
        } catch {
            if error == .invalidCredentials { await watch(attempt, caller) }
            if error.isOurs { await giveBack(ticket, caller) }
            throw error
        }
        giveBackLater(ticket, caller)
        return value
    }

    /// Puts an address on record that fails at many accounts.
    private func watch(_ attempt: LimitAttempt, _ caller: Caller) async {
        guard let acquaintance = attempt.acquaintance else { return }
        let (now, most) = (system.now(), slot.value.sprayAccounts)
        guard sprays.failed(at: acquaintance.account, from: acquaintance.address, most: most, at: now) else { return }
        metrics.countSpray()
        await audit.record(
            AuditEvent(
                id: system.uuid(), time: now, kind: .signInsSprayed, actor: .anonymous, address: caller.address,
                referenceID: caller.referenceID))
    }

    /// Counts an attempt.
    /// - Throws: `IdentityError.tooManyRequests`, and then it has not been counted; `unavailable`.
    @discardableResult
    func take(_ attempt: LimitAttempt, _ caller: Caller) async throws(IdentityError) -> Ticket {
        let buckets = buckets(of: attempt)
        guard !buckets.isEmpty else { return Ticket() }
        // Nobody need be known where it makes no difference.
        let acquaintance = buckets.contains { $0.condition != .always } ? attempt.acquaintance : nil
        let (verdicts, marks) = try await verdicts(on: buckets, acquaintance)
        let standing = attempt.isTold ? Self.standing(buckets, verdicts) : nil
        if let standing { caller.report(standing) }
        if let (bucket, wait) = Self.refusal(buckets, verdicts) { throw await refused(bucket, after: wait, caller) }
        let units = buckets.indices.filter { verdicts[$0] != .skipped }.map { index in
            let bucket = buckets[index]
            return Ticket.Unit(key: bucket.key, gcra: bucket.gcra, mark: marks[index], isRefunded: bucket.kind.isRefunded)
        }
        return Ticket(units: units, acquaintance: acquaintance, standing: standing)
    }

    /// What a script is to count that touches the store anyway; nil for nothing.
    /// - Parameter own: which bucket, the attempt's first, is kept with what the script is about; nil for none.
    func charge(_ attempt: LimitAttempt, keeping own: LimitBucket? = nil) -> Charge? {
        let buckets = buckets(of: attempt, keeping: own)
        guard let first = buckets.first else { return nil }
        return Charge(own: first.kind == own ? first.gcra : nil, buckets: buckets, isTold: attempt.isTold)
    }

    /// What the script says of the budgets.
    /// - Throws: `IdentityError.tooManyRequests`, and then it has not been counted.
    func settle(_ charge: Charge, _ reply: [UInt8], _ caller: Caller) async throws(IdentityError) {
        guard let told = LimitScript.verdicts(reply), told.count == charge.buckets.count else { throw .fault() }
        let verdicts = told.map(\.0)
        if charge.isTold, let standing = Self.standing(charge.buckets, verdicts) { caller.report(standing) }
        if let (bucket, wait) = Self.refusal(charge.buckets, verdicts) { throw await refused(bucket, after: wait, caller) }
    }

    private func buckets(of attempt: LimitAttempt, keeping own: LimitBucket? = nil) -> [Bucket] {
        let settings = slot.value
        guard settings.isEnforced else { return [] }
        return attempt.charges.compactMap { charge in
            settings[charge.bucket].map { budget in
                // What is kept elsewhere has no key in Redis: this one tells it apart among the notices.
                let key = charge.bucket == own ? charge.subject.joined() : key.bucket(charge)
                return Bucket(kind: charge.bucket, key: key, condition: charge.condition, gcra: GCRA(budget))
            }
        }
    }

    /// Counts an attempt, and tells nobody whether it was refused: for what the caller is told that it has been done.
    /// - Returns: whether it is allowed.
    /// - Throws: `IdentityError.unavailable`.
    func allows(_ attempt: LimitAttempt, _ caller: Caller) async throws(IdentityError) -> Bool {
        do throws(IdentityError) {
            try await take(attempt, caller)
            return true
        } catch .service(.tooManyRequests) {
            return false
        }
    }

    /// Has the caller known at an account from now on. If that fails, a stranger's attempts may stand in its way until it signs in again.
    func remember(_ caller: Caller, at account: String) {
        guard LimitAttempt.isKnownOfUse(slot.value) else { return }
        redis.loop.start { await self.refund([], remembering: LimitAttempt.Acquaintance(caller, at: account)) }
    }

    /// Gives back what a success has taken, and nobody waits for it: it goes to Redis with what the request asks for next.
    private func giveBackLater(_ ticket: Ticket, _ caller: Caller) {
        let units = ticket.units.filter(\.isRefunded)
        guard !units.isEmpty || ticket.acquaintance != nil else { return }
        if let standing = ticket.standing { caller.report(standing.refunded) }
        redis.loop.start { await self.refund(units, remembering: ticket.acquaintance) }
    }

    /// Gives back what an attempt has taken. If that fails, the attempt has counted.
    /// - Parameter isSuccess: whether the caller is known from now on; and what a success does not give back is kept.
    func giveBack(_ ticket: Ticket, isSuccess: Bool = false, _ caller: Caller) async {
        let units = isSuccess ? ticket.units.filter(\.isRefunded) : ticket.units
        let acquaintance = isSuccess ? ticket.acquaintance : nil
        guard !units.isEmpty || acquaintance != nil, await refund(units, remembering: acquaintance) else { return }
        if let standing = ticket.standing { caller.report(standing.refunded) }
    }

    /// Returns whether Redis has done it.
    @discardableResult
    private func refund(_ units: [Ticket.Unit], remembering acquaintance: LimitAttempt.Acquaintance?) async -> Bool {
        var keys = units.map(\.key)
        var memory: LimitRefundScript.Memory?
        if let acquaintance {
            keys.append(key.known(acquaintance.account))
            let members = key.members(acquaintance)
            memory = LimitRefundScript.Memory(
                members: [members.address, members.device].filter { !$0.isEmpty }, life: slot.value.knownDeviceLifetime,
                most: slot.value.knownDevices)
        }
        let arguments = LimitRefundScript.arguments(units.map { ($0.gcra, $0.mark) }, memory, at: system.now())
        return (try? await run(Self.refund[system.scriptClock], keys, arguments.map { Array($0.utf8) })) != nil
    }

    /// Forgets by what anybody was known at an account, whose credentials change, or which is no more.
    ///
    /// It is all that there is of an account beyond a budget's period. Budgets stay: they are of who asks, and a new account with the same
    /// address must not begin with full ones.
    /// - Throws: the store's failure.
    func forget(_ account: String) async throws(IdentityError) {
        let command = RedisCommand("DEL", key.known(account))
        _ = try await mapRedisErrors { () throws(RedisError) in try await redis.send(command) }
    }

    private func verdicts(
        on buckets: [Bucket], _ acquaintance: LimitAttempt.Acquaintance?
    ) async throws(IdentityError) -> ([LimitRule.Verdict], [LimitRule.Mark]) {
        var keys = buckets.map(\.key)
        if let acquaintance { keys.append(key.known(acquaintance.account)) }
        let members = acquaintance.map { key.members($0) } ?? LimitScript.Members()
        let arguments = LimitScript.arguments(buckets.map { ($0.gcra, $0.condition) }, members, at: system.now())
        guard case .bytes(let reply) = try await run(Self.take[system.scriptClock], keys, arguments),
            let told = LimitScript.verdicts(reply), told.count == buckets.count
        else { throw .fault() }
        return (told.map(\.0), told.map(\.1))
    }

    private func run(
        _ script: RedisScript, _ keys: [String], _ arguments: [[UInt8]]
    ) async throws(IdentityError) -> RedisReply {
        try await mapRedisErrors { () throws(RedisError) in try await redis.run(script, keys: keys, arguments: arguments) }
    }

    private func refused(_ bucket: Bucket, after wait: Int64, _ caller: Caller) async -> IdentityError {
        metrics.count(limited: bucket.kind)
        let now = system.now()
        if notices.admits(bucket.key, at: now) {
            await audit.record(
                AuditEvent(
                    id: system.uuid(), time: now, kind: .limitReached(bucket.kind), actor: .anonymous, address: caller.address,
                    referenceID: caller.referenceID))
        }
        return .tooManyRequests(retryAfter: .microseconds(wait))
    }

    /// The bucket that has to be waited for longest.
    private static func refusal(_ buckets: [Bucket], _ verdicts: [LimitRule.Verdict]) -> (Bucket, wait: Int64)? {
        var longest: (Bucket, wait: Int64)?
        for (bucket, verdict) in zip(buckets, verdicts) {
            if case .refused(let wait) = verdict, wait > longest?.wait ?? 0 { longest = (bucket, wait) }
        }
        return longest
    }

    private static func standing(_ buckets: [Bucket], _ verdicts: [LimitRule.Verdict]) -> LimitStanding? {
        if let (bucket, wait) = refusal(buckets, verdicts) {
            return LimitStanding(bucket.gcra, remaining: 0, reset: wait)
        }
        var fewest: LimitStanding?
        for (bucket, verdict) in zip(buckets, verdicts) where bucket.kind.kind.isOwn && bucket.kind.isRefunded {
            if case .allowed(let left, let reset) = verdict, left < fewest?.remaining ?? .max {
                fewest = LimitStanding(bucket.gcra, remaining: left, reset: reset)
            }
        }
        return fewest
    }
}

extension LimitStanding {
    fileprivate init(_ gcra: GCRA, remaining: Int64, reset: Int64) {
        self.init(
            limit: Int(gcra.count), remaining: Int(remaining), reset: .microseconds(reset), interval: .microseconds(gcra.interval)
        )
    }
}
