import Endpoints
import HTTP
import Identity
import Logging
import Networking
import Outbound
import Postgres
import Redis
import Routing

/// Everything that one loop owns: its connections to the stores, the parts on top of them, and its HTTP server.
struct Worker: Sendable {
    let loop: EventLoop
    let postgres: PostgresPool
    let redis: RedisConnection
    /// Nil where nothing is remembered.
    let hot: HotTokens?
    let audit: AuditLog
    let auditUpkeep: AuditUpkeep
    let metrics: IdentityMetrics
    let keys: LoopSlot<KeyRing?>
    /// The budgets of this loop, to be replaced on it.
    let limits: LoopSlot<LimitSettings>
    let limiter: Limiter
    let signingKeys: SigningKeyStore
    let keySets: KeySets
    let apiParts: APIParts
    var services: Services { apiParts.services }
    let apis: [RouteGroup]
    let jobQueue: JobQueue
    let outbox: MailOutbox
    let mail: MailDelivery
    let jobs: JobRunner
    let server: HTTPServer

    /// - Parameters:
    ///   - first: the loop's connection to PostgreSQL that is on its way.
    ///   - smtp: nil where mail is not sent.
    /// - Throws: `StartError.configuration` when the parts do not fit together.
    init(
        _ loop: EventLoop, _ shared: SharedParts, _ keySetKeeper: KeySetKeeper, first: FirstConnection? = nil,
        smtp: SMTPClient? = nil
    ) throws(StartError) {
        let configuration = shared.configuration
        let logger = shared.logger.with(["loop": .integer(loop.index)])
        self.loop = loop
        postgres = PostgresPool(
            configuration.database, loop: loop, connecting: shared.connecting, first: first, logger: logger)
        metrics = IdentityMetrics()
        let memory = configuration.backends.hotTokens
        let hot =
            memory > 0
            ? HotTokens(shared.hotTokens, loop: loop, metrics: metrics, byteLimit: memory / configuration.loopCount) : nil
        self.hot = hot
        redis = RedisConnection(
            configuration.redis, loop: loop, resolving: shared.resolving, recent: shared.recentWrites, logger: logger,
            whenEnded: { hot?.connectionEnded() })
        keys = LoopSlot<KeyRing?>(nil)
        limits = LoopSlot(configuration.limits)
        audit = AuditLog(
            pool: postgres, metrics: metrics, capacity: configuration.audit.queueLimit, refreshes: configuration.audit.refreshes,
            logger: logger)
        auditUpkeep = AuditUpkeep(
            pool: postgres, retention: configuration.audit.retention, metrics: metrics, system: shared.system, logger: logger)
        signingKeys = SigningKeyStore(
            pool: postgres, masterKey: shared.masterKey, computing: shared.connecting, system: shared.system)
        keySets = KeySets(keySetKeeper, loop: loop)
        jobQueue = JobQueue(pool: postgres, signal: shared.jobSignal)
        outbox = MailOutbox(jobs: jobQueue, seal: shared.mailSeal)
        mail = MailDelivery(
            seal: shared.mailSeal, client: smtp, composer: configuration.mail.composer, policy: configuration.mail.policy,
            audit: audit, metrics: metrics, system: shared.system, signal: shared.jobSignal,
            loop: loop, logger: logger)
        limiter = Limiter(
            slot: limits, redis: redis, key: shared.limitKey, audit: audit, metrics: metrics, system: shared.system)
        let parts = LoopParts(
            loop: loop, logger: logger, postgres: postgres, redis: redis, hot: hot, audit: audit, metrics: metrics, keys: keys,
            keySets: keySets, jobs: jobQueue, outbox: outbox,
            limiter: limiter)
        let federation: FederationParts
        (apiParts, federation) = Self.apiParts(shared, parts)
        jobs = JobRunner(
            queue: jobQueue,
            handlers: [
                mail, federation.revocations, SessionEndingHandler(sessions: apiParts.services.sessions, logger: logger),
                ClientTokenEndingHandler(
                    clients: ClientStore(pool: postgres), tokens: apiParts.services.clientTokens,
                    remains: ClientRemains(apiParts.services.sessions)),
                Self.backchannelLogout(shared, apiParts.services),
            ],
            chores: [.sweepChanges, .forgetNotices], policy: configuration.jobs,
            metrics: metrics, system: shared.system, signal: shared.jobSignal, loop: loop, logger: logger)
        apis = Self.apis(apiParts, configuration)
        server = HTTPServer(
            shared.http, handler: try Self.router(apis), loop: loop, logger: logger, random: shared.randomNumber())
    }

    /// Starts what runs for as long as the process does.
    func start() {
        loop.start { await redis.run() }
        loop.start { await audit.run() }
        if let hot { loop.start { await hot.run(over: redis) } }
    }

    /// Starts what looks for work in tables, which must be there by now. One loop looks for all of them.
    func startQueues() {
        guard loop.index == 0 else { return }
        loop.start { await auditUpkeep.run() }
        loop.start { await jobs.run() }
    }

    /// Writes what is still to be written and gives the connections back.
    func stop() async {
        hot?.close()
        await auditUpkeep.close()
        await services.codes.close()
        await services.sessions.logouts?.close()
        await AuditLosses(redis: redis).note(await audit.close())
        await postgres.close()
        await redis.close()
    }
}
