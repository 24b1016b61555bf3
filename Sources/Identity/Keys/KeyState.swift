/// Where a signing key is in its life. The raw values are stored.
package enum KeyState: String, Sendable, CaseIterable {
    /// Published, so that everybody knows it before it signs. Can become `active`.
    case next
    /// Signs. At most one for each algorithm. Can become `retired`.
    case active
    /// Published until the last token that it signed has expired, then deleted.
    case retired
}
