import Testing
import Text

@testable import Identity

extension WithStores {
    /// Names that may be used once.
    @Suite struct UsedIdentifiersTests {
        @Test func `a name is used once, and given back by the request alone that has used it`() async throws {
            try await World.run { world in
                let used = UsedIdentifiers(redis: world.a.parts.redis)
                func use(_ mark: UInt8, of owner: String = "robot") async throws -> UsedIdentifiers.Use? {
                    try await world.a.run { _ in
                        try await used.use(.assertion, "one", of: owner, life: .seconds(60), mark: [mark])
                    }
                }
                func isGood(_ mark: UInt8, of owner: String = "robot") async throws -> Bool {
                    try await use(mark, of: owner) != nil
                }
                let first = try #require(try await use(1))
                #expect(try await !isGood(2))
                #expect(try await isGood(1, of: "other"))
                await world.a.run { _ in await used.giveBack(first) }
                #expect(try await isGood(2))
                // What comes late frees nothing that another request has used.
                await world.a.run { _ in await used.giveBack(first) }
                #expect(try await !isGood(3))
            }
        }
    }
}
