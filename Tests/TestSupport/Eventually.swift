/// Waits for `condition` to hold, for as long as the time limit of the test allows.
package func eventually(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
}
