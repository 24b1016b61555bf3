import Postgres
import Testing

@testable import Identity

extension WithStores {
    @Suite struct ImportLockTests {
        @Test func `one import at a time`() async throws {
            try await World.run { world in
                let configuration = try PostgresConfiguration(connectionString: world.connectionString)
                let first = try UserImport(try BulkConnection(configuration), UserImport.Options(), at: Sample.now)
                #expect(throws: ImportFailure.locked) {
                    try UserImport(try BulkConnection(configuration), UserImport.Options(), at: Sample.now)
                }
                _ = try first.take([])
            }
        }
    }
}
