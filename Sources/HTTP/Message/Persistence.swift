/// What becomes of the connection after a response (RFC 9112 §9.3).
package enum Persistence: Sendable {
    /// It stays open, and nobody needs to be told: the way of HTTP/1.1.
    case keepAlive
    /// It stays open and the response says so, which an HTTP/1.0 client must read.
    case announcedKeepAlive
    /// It is closed after the response, which says `Connection: close`.
    case close
}
