/// Why a command has no answer. None carries an argument of the command.
package enum RedisError: Error, Equatable {
    /// There is no connection, or Redis says that it cannot serve now (loading, read-only, out of memory, no access).
    /// Whether the command was carried out is not known when the connection died under it.
    case unavailable
    /// No answer in time; the connection has been given up, because answers come in order.
    case deadlineExceeded
    /// Too many commands are in flight on this loop.
    case overloaded
    /// Redis refused the command: the kind, such as `WRONGTYPE`.
    case refused(kind: String)
    /// The answer is not of the shape that the command has.
    case unexpectedReply
}

extension RedisError: CustomStringConvertible {
    /// For the log and for operators.
    package var description: String {
        switch self {
        case .unavailable: "it is away, or says that it cannot serve now"
        case .deadlineExceeded: "no answer in time"
        case .overloaded: "too many commands wait for it"
        case .refused(let kind): "it has refused a command (\(kind))"
        case .unexpectedReply: "its answer is not of the form that the command has"
        }
    }
}
