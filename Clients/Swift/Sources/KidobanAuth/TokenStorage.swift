public import Foundation

/// Where an app keeps its session while it does not run. The bytes hold a refresh token: whoever reads them is the user.
public protocol TokenStorage: Sendable {
    /// Nil when nothing was ever saved, or it was removed. Whatever cannot be read *now* is an error, never nil: nil means that nobody is
    /// signed in.
    func load() async throws -> Data?

    /// Replaces what was saved, as a whole: who reads at the same time gets the old or the new bytes.
    func save(_ data: Data) async throws

    func remove() async throws
}

/// Forgets everything with the process: for tests and for tools.
public actor MemoryTokenStorage: TokenStorage {
    private var data: Data?

    public init() {}

    public func load() -> Data? { data }
    public func save(_ data: Data) { self.data = data }
    public func remove() { data = nil }
}
