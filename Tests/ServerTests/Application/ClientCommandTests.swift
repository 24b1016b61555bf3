import TestSupport
import Testing
import Text

@testable import Server

/// `kidoban client`, on a database that has its tables.
@Suite(.needsProgram, .timeLimit(.minutes(5)))
struct ClientCommandTests {
    @Test func `the list says until when a secret that was replaced is still good`() async throws {
        let stores = try TestEnvironment()
        let environment = stores.variables
        func run(_ words: String...) async throws -> String {
            let outcome = try await Kidoban.run(words, environment: environment)
            #expect(outcome.status == 0, "\(outcome.output)")
            return outcome.output
        }
        _ = try await run("migrate")
        _ = try await run("client", "add", "orders", "--introspect")
        let plain = try await run("client", "list")
        #expect(plain.hasPrefix("orders\torders\tintrospect\t") && !plain.contains("good until"))
        let before = Timestamp.now()
        _ = try await run("client", "rotate-secret", "orders", "--overlap", "2h")
        let overlapping = try await run("client", "list")
        #expect(overlapping.hasPrefix(plain.dropLast()))
        let end = try #require(overlapping.firstMatch(of: /\told secret good until ([-0-9T:.]+Z), not used since\n/)).1
        // To the second, by a clock that is read twice.
        let hour = before.adding(.seconds(2 * 3600)).iso8601.prefix(13)
        let later = before.adding(.seconds(2 * 3600 + 600)).iso8601.prefix(13)
        #expect(end.hasPrefix(hour) || end.hasPrefix(later))
        _ = try await run("client", "rotate-secret", "orders", "--overlap", "0")
        #expect(try await run("client", "list") == plain)
    }
}
