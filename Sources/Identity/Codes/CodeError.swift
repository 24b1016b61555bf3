/// Why a code from a mail was not taken.
package enum CodeError: Error, Equatable, Sendable {
    /// It is none, or no longer one.
    case invalid
}
