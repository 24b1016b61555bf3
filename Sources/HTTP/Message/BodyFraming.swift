/// How the body after a request head is delimited (RFC 9112 §6.3).
package enum BodyFraming: Equatable, Sendable {
    /// No body: neither `Content-Length` nor `Transfer-Encoding`, or a length of zero.
    case none
    /// Exactly so many bytes, more than zero.
    case length(Int)
    case chunked
}
