import Glibc
import Networking
import Postgres
import Redis
import TestSupport
import Testing

@testable import Identity

extension WithStores {
    /// A store that stands still (SIGSTOP) in the midst of a change that ends sessions because of a user's row, at each of its steps. What it was
    /// sent it carries out once it goes on, long after the change has been given up; or it never does.
    @Suite struct FrozenStoreTests {
        /// What becomes of the store.
        enum Ending: Sendable, CaseIterable {
            /// It goes on when the change has been given up.
            case goesOn
            /// It is killed where it stands, and another one takes its place.
            case killed
        }

        private static let mostSteps = 80
        /// Of the copy that makes the change. It is too short for a busy machine, and that is a failure like others.
        private static let patience = Duration.milliseconds(250)

        /// - Parameters:
        ///   - freeze: has the store stand still.
        ///   - thaw: ends that; afterwards it answers the first copy.
        private func freezeEachStep(
            of change: SessionEndingChange, in world: World, _ proxy: TestProxy, _ ending: Ending,
            freeze: () -> @Sendable () -> Void, thaw: () async throws -> Void
        ) async throws {
            let (patient, hasty) = (world.a, world.b)
            for step in 0..<Self.mostSteps {
                let subject = try await change.subject(step, on: patient)
                let version = try await patient.user(subject.asking.id).credentialsVersion
                try await eventually { await hasty.reachesPostgres }
                try await eventually { await hasty.parts.redis.isReady }
                proxy.arm(after: step, calling: freeze())
                var failure: (any Error)?
                do { try await change.perform(subject, step, on: hasty) } catch { failure = error }
                let hasFrozen = proxy.hasFailed
                proxy.heal()
                if hasFrozen { try await thaw() }
                try await patient.waitForOthers(on: subject.asking.id)
                if try await change.isDone(subject, version, on: patient) {
                    let live = try await patient.active(change.losers(subject)).contains(true)
                    #expect(!live, "step \(step): in force, and a session lives")
                } else {
                    #expect(failure as? IdentityError == .unavailable(retryAfter: .seconds(1)), "step \(step)")
                    try await change.performAgain(subject, step, on: patient)
                    #expect(try await change.isDone(subject, version, on: patient), "step \(step): repeated in vain")
                    #expect(try await patient.active(change.losers(subject)).allSatisfy { !$0 }, "step \(step): repeated")
                }
                if failure == nil, !hasFrozen { return }
            }
            Issue.record("more than \(Self.mostSteps) steps")
        }

        @Test(
            .enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server to start on this machine"),
            arguments: SessionEndingChange.allCases, Ending.allCases)
        func `PostgreSQL stands still between any two steps`(change: SessionEndingChange, ending: Ending) async throws {
            let postgres = try TestPostgres()
            let proxy = try TestProxy(to: postgres.socketPath, name: TestPostgres.socketName)
            try await World.run {
                $0.copies = 2
                $0.connectionString = postgres.connectionString
                $0.others = { configuration, _ in
                    configuration = try PostgresConfiguration(
                        connectionString: TestPostgres.connectionString(proxy.directoryPath))
                    configuration.deadline = Self.patience
                    configuration.connectTimeout = Self.patience
                    configuration.backOff = .milliseconds(10)...(.milliseconds(50))
                }
            } _: { world in
                try await freezeEachStep(of: change, in: world, proxy, ending) {
                    postgres.pausing
                } thaw: {
                    switch ending {
                    case .goesOn: postgres.resume()
                    case .killed:
                        postgres.kill()
                        try postgres.start()
                    }
                    try await eventually { await world.a.reachesPostgres }
                }
            }
            proxy.stop()
        }

        /// A Redis that never goes on takes all sessions with it, here: there is nothing left to be seen.
        @Test(arguments: SessionEndingChange.allCases)
        func `Redis stands still between any two steps`(change: SessionEndingChange) async throws {
            let proxied = Locked<TestProxy?>(nil)
            try await World.run {
                $0.copies = 2
                $0.others = { _, configuration in
                    guard case .unix(let path) = configuration.endpoint else { return }
                    let proxy = try TestProxy(to: path)
                    proxied.withLock { $0 = proxy }
                    configuration = RedisConfiguration(endpoint: .unix(path: proxy.path))
                    configuration.commandDeadline = Self.patience
                    configuration.connectTimeout = Self.patience
                }
            } _: { world in
                let proxy = try #require(proxied.value)
                try await freezeEachStep(of: change, in: world, proxy, .goesOn) {
                    world.redis.pausing
                } thaw: {
                    world.redis.resume()
                    try await eventually { await world.a.parts.redis.isReady }
                }
                proxy.stop()
            }
        }
    }
}
