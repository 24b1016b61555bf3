/// Why a client was refused.
package enum ClientError: Error, Equatable, Sendable {
    /// It is unknown or disabled, or did not prove itself.
    case invalid
    /// It may not do what it asks for.
    case notPermitted
}
