package import Logging
package import Networking
import Postgres

/// Says with which master keys this copy runs, and re-seals in the background what the other one has sealed, a few values at a time.
///
/// While a copy still seals with the other key, nothing is re-sealed: the two would do it to and fro.
package struct MasterKeyUpkeep: Sendable {
    /// Between two steps, so that others come in between.
    private static let pause: Duration = .milliseconds(100)

    private let uses: MasterKeyUses
    private let resealing: Resealing
    private let masterKey: MasterKey
    private let system: SystemContext
    private let loop: EventLoop
    private let logger: Logger

    package init(
        uses: MasterKeyUses, resealing: Resealing, masterKey: MasterKey, system: SystemContext, loop: EventLoop, logger: Logger
    ) {
        self.uses = uses
        self.resealing = resealing
        self.masterKey = masterKey
        self.system = system
        self.loop = loop
        self.logger = logger
    }

    /// To be asked once a minute; goes on for as long as there is something to re-seal and `mayGoOn` says so.
    package func look(_ mayGoOn: @Sendable () -> Bool = { true }) async {
        do throws(PostgresError) {
            try await uses.note(masterKey, at: system.statementTime)
            let current = try await uses.all(at: system.statementTime).filter(\.isCurrent)
            if current.contains(where: { $0.refuses(masterKey.id) }) {
                logger.error(
                    "a copy runs, or did three minutes ago, that does not accept the master key of this one, and refuses its tokens: give it both keys",
                    ["key": .string(masterKey.id.description)])
            }
            guard let other = masterKey.other, !current.contains(where: { $0.seals == other.id.description }) else { return }
            try await reseal(mayGoOn)
        } catch {
            logger.warning("what the other master key has sealed is not looked at", ["error": "\(error)"])
        }
    }

    private func reseal(_ mayGoOn: @Sendable () -> Bool) async throws(PostgresError) {
        var total = Resealing.Progress()
        while mayGoOn() {
            let step = try await resealing.step()
            total.resealed += step.resealed
            total.unopened = step.unopened
            if step.isOver { break }
            await loop.sleep(for: Self.pause)
        }
        if total.resealed > 0 || total.unopened > 0 {
            logger.info(
                "sealed anew with the present master key",
                ["values": .integer(total.resealed), "not_opened": .integer(total.unopened)])
        }
    }
}
