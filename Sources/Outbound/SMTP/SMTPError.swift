/// Why a mail was not taken. The texts are libcurl's, OpenSSL's and our own, for the log; they hold nothing of what was sent, and no
/// credentials.
///
/// After `timedOut` and `connection` the server may have the mail all the same, when its last answer was lost (RFC 1047): a mail that is
/// sent again has the same `Message-ID`, so that a mailbox can tell.
package enum SMTPError: Error, Equatable, Sendable {
    /// An address or the content cannot be sent; see `SMTPMessage`. Nobody was asked.
    case invalidMessage
    /// MAIL, RCPT, DATA or the content got this reply, 500 … 599: the server will never take this mail (RFC 5321 §4.2.1).
    case refused(Int)
    /// They got this reply, 400 … 499: it may take it later.
    case deferred(Int)
    /// The server takes none of our credentials, or wants some: the configuration's fault, not the mail's.
    case authentication(String)
    /// Connecting, or all of it, took too long; the wait for a thread is counted.
    case timedOut
    /// No TLS, or not with the server that was meant.
    case tls(String)
    /// The name, the connection, or what the server said before any mail.
    case connection(String)
    /// Too many mails wait already.
    case overloaded
}
