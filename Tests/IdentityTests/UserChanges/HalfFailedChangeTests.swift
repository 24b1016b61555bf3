import Networking
import Postgres
import Redis
import TestSupport
import Testing
import Text

@testable import Identity

extension WithFailingStores {
    /// A change that ends sessions because of a user's row, with Redis or PostgreSQL gone between any two of its steps: nothing has happened,
    /// but that sessions may have ended, and the same can be asked for again; or all of it did.
    @Suite struct HalfFailedChangeTests {
        /// What is left untried ends a test that would not end by itself.
        private static let mostSteps = 80

        /// Breaks a store at each step of a change in turn.
        private func breakEachStep(
            of change: SessionEndingChange, in world: World, _ proxy: TestProxy, _ fault: TestProxy.Fault,
            recovered: () async throws -> Bool
        ) async throws {
            let a = world.a
            for step in 0..<Self.mostSteps {
                let subject = try await change.subject(step, on: a)
                let version = try await a.user(subject.asking.id).credentialsVersion
                proxy.arm(fault, after: step)
                var failure: (any Error)?
                do { try await change.perform(subject, step, on: a) } catch { failure = error }
                let hasFailed = proxy.hasFailed
                proxy.heal()
                try await eventually { try await recovered() }
                try await a.waitForOthers(on: subject.asking.id)
                let isDone = try await change.isDone(subject, version, on: a)
                if isDone {
                    let live = try await a.active(change.losers(subject)).contains(true)
                    #expect(!live, "step \(step): in force, and a session lives")
                } else {
                    #expect(failure as? IdentityError == .unavailable(retryAfter: .seconds(1)), "step \(step)")
                    try await change.performAgain(subject, step, on: a)
                    #expect(try await change.isDone(subject, version, on: a), "step \(step): repeated in vain")
                    #expect(try await a.active(change.losers(subject)).allSatisfy { !$0 }, "step \(step): repeated")
                }
                if !hasFailed { return }
            }
            Issue.record("more than \(Self.mostSteps) steps")
        }

        @Test(
            .enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server to start on this machine"),
            arguments: SessionEndingChange.allCases)
        func `PostgreSQL goes between any two steps`(change: SessionEndingChange) async throws {
            let postgres = try TestPostgres()
            let proxy = try TestProxy(to: postgres.socketPath, name: TestPostgres.socketName)
            try await World.run {
                $0.connectionString = TestPostgres.connectionString(proxy.directoryPath)
            } _: { world in
                try await breakEachStep(of: change, in: world, proxy, .cut) { await world.a.reachesPostgres }
            }
            proxy.stop()
        }

        @Test(arguments: SessionEndingChange.allCases) func `Redis goes between any two steps`(change: SessionEndingChange)
            async throws
        {
            try await breakRedis(.cut, at: change)
        }

        /// As a server that is stopped (SIGSTOP), or whose machine is. Each step takes as long as one is patient, so not every change is tried.
        @Test(arguments: [SessionEndingChange.passwordReset, .addressChange])
        func `Redis stands still between any two steps`(change: SessionEndingChange) async throws {
            try await breakRedis(.hold, at: change)
        }

        @Test(
            .enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server to start on this machine"),
            arguments: [SessionEndingChange.passwordReset, .addressChange])
        func `PostgreSQL stands still between any two steps`(change: SessionEndingChange) async throws {
            let postgres = try TestPostgres()
            let proxy = try TestProxy(to: postgres.socketPath, name: TestPostgres.socketName)
            try await World.run {
                $0.connectionString = TestPostgres.connectionString(proxy.directoryPath)
                $0.postgresPatience = Self.patience
            } _: { world in
                try await breakEachStep(of: change, in: world, proxy, .hold) { await world.a.reachesPostgres }
            }
            proxy.stop()
        }

        private static let patience: Duration = .milliseconds(500)

        private func breakRedis(_ fault: TestProxy.Fault, at change: SessionEndingChange) async throws {
            try await World.runBehindProxy {
                if fault == .hold { $0.patience = Self.patience }
            } _: { world, proxy in
                try await breakEachStep(of: change, in: world, proxy, fault) { await world.a.parts.redis.isReady }
            }
        }
    }
}
