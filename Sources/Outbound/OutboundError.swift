/// Why there is no answer. The texts are libcurl's and OpenSSL's, for the log; they hold nothing of what was sent.
package enum OutboundError: Error, Equatable, Sendable {
    /// The request itself cannot be sent: a URL that is not allowed, a field with a line end in it.
    case invalidRequest
    /// Connecting, or all of it, took too long; the wait for a thread is counted.
    case timedOut
    /// The head or the body of the answer is larger than allowed.
    case tooLarge
    /// No TLS, or not with the server that was meant.
    case tls(String)
    /// The name, the connection or the protocol on it.
    case connection(String)
    /// To another server, once too often, or of a `POST`.
    case redirectRefused
    /// Too many requests wait already.
    case overloaded
    /// The file of the certificate authorities cannot be used.
    case authorities(String)
}

extension OutboundError: CustomStringConvertible {
    /// For the log and for operators.
    package var description: String {
        switch self {
        case .invalidRequest: "the URL cannot be asked"
        case .timedOut: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .tls(let reason): "no trusted TLS (\(reason))"
        case .connection(let reason): reason
        case .redirectRefused: "it leads to another server"
        case .overloaded: "busy"
        case .authorities(let reason): "KIDOBAN_CA_FILE cannot be used (\(reason))"
        }
    }
}
