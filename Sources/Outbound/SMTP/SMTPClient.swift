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
