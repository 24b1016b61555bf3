import Networking

/// Hands mail over to the configured server, on threads of its own: the caller's loop goes on meanwhile.
package final class SMTPClient: Sendable {
    private let transfer: SMTPTransfer
    private let pool: BlockingPool

    package init(_ configuration: SMTPConfiguration) {
        transfer = SMTPTransfer(configuration: configuration)
        pool = BlockingPool(label: "kidoban.mail", threads: configuration.threads, queueLimit: configuration.queueLimit)
    }

    /// Returns when the server has taken the mail, and with it the duty to deliver it (RFC 5321 §6.1).
    /// - Throws: `SMTPError`; about a second after the configured time at the latest.
    package func send(_ message: SMTPMessage) async throws(SMTPError) {
        guard message.isSendable else { throw .invalidMessage }
        try await run(message)
    }

    /// Connects, greets, secures and authenticates, and sends nothing. For `doctor`.
    /// - Throws: `SMTPError`, as above.
    package func check() async throws(SMTPError) {
        try await run(nil)
    }

    deinit {
        pool.stop()
    }

    package var configuration: SMTPConfiguration { transfer.configuration }

    /// What waits is still sent; after that nothing is. The same happens when nobody uses it any more.
    package func stop() {
        pool.stop()
    }

    private func run(_ message: SMTPMessage?) async throws(SMTPError) {
        let deadline = Instant.now() + transfer.configuration.timeout
        let result: Result<Void, SMTPError>
        do throws(BlockingPool.Overloaded) {
            result = try await pool.run { [transfer] in
                Result { () throws(SMTPError) in try transfer.run(message, until: deadline) }
            }
        } catch {
            throw .overloaded
        }
        try result.get()
    }
}

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
