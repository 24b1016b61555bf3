/// Why a stream cannot go on.
package enum StreamError: Error, Equatable {
    /// Nothing came, or nothing could be sent, before the deadline.
    case timedOut
    /// This side has closed it.
    case closed
    case system(SystemError)
    /// The TLS layer refused: what OpenSSL said, for the log.
    case tls(String)
}

extension StreamError: CustomStringConvertible {
    /// For the log and for operators.
    package var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .closed: "the connection was closed"
        case .system(let error): "\(error)"
        case .tls(let reason): "no trusted TLS (\(reason))"
        }
    }
}
