/// How far a body got with the bytes it was given.
package enum BodyProgress: Equatable, Sendable {
    /// The body is whole; what follows the consumed bytes belongs to the next request.
    case complete(consumed: Int)
    /// All bytes were taken and more are needed.
    case incomplete
}
