package import Foundation

/// The server that `scripts/check-clients` runs the tests beside.
package enum LiveServer {
    package static let url = text("KIDOBAN_URL").flatMap { URL(string: $0) }
    package static var isThere: Bool { url != nil }
    /// Signs Apple's id tokens for whoever asks.
    package static let providerURL = text("TEST_PROVIDER_URL").flatMap { URL(string: $0) }
    package static let hasFeed = text("KIDOBAN_REVOCATION_FEED") == "true"
    package static let issuer = text("KIDOBAN_ISSUER") ?? ""
    package static let audience = text("KIDOBAN_AUDIENCE") ?? ""
    package static let clientID = text("KIDOBAN_CLIENT_ID") ?? ""
    package static let clientSecret = text("KIDOBAN_CLIENT_SECRET") ?? ""

    package static let password = "seven lanterns at the gate"

    package static func newEmail() -> String { "mei+\(UUID().uuidString.lowercased())@example.com" }

    /// - Throws: where there is no server. Suites that need one ask `isThere` first.
    package static func required() throws -> URL {
        struct NoServer: Error {}
        guard let url else { throw NoServer() }
        return url
    }

    private static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// A place for a test's files, gone after it.
package func withTemporaryDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kidoban-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

/// Waits for a condition, twenty seconds at most.
package func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<2000 {
        if try await condition() { return true }
        try await Task.sleep(nanoseconds: 10_000_000)
    }
    return false
}
