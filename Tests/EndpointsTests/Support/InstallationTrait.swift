import Server
import TestSupport
import Testing

/// Gives a suite an installation of its own, which all its tests share.
struct InstallationTrait: SuiteTrait, TestScoping {
    let copies: Int
    let configure: @Sendable (inout Configuration) -> Void

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Installation(configure).run(copies: copies, forSuite: true) { installation in
            try await Installation.$current.withValue(installation) { try await function() }
        }
    }
}

extension Trait where Self == InstallationTrait {
    static func installation(
        copies: Int = 1, _ configure: @escaping @Sendable (inout Configuration) -> Void = { _ in }
    ) -> Self {
        InstallationTrait(copies: copies, configure: configure)
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests on the shared servers.
    static var needsServers: Self {
        .enabled(
            if: TestDatabase.server != nil && TestRedis.sharedURL != nil,
            "KIDOBAN_TEST_DATABASE_URL and KIDOBAN_TEST_REDIS_URL do not name both servers")
    }

    /// For tests that start a Redis of their own.
    static var needsOwnRedis: Self { .enabled(if: TestRedis.isAvailable, "there is no redis-server on this machine") }

    /// For tests that start a PostgreSQL of their own.
    static var needsOwnPostgres: Self {
        .enabled(if: TestPostgres.isAvailable, "there is no PostgreSQL server on this machine")
    }
}
