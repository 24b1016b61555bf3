import Outbound

/// Puts mails into words and hands them over to the mail server.
struct MailHandOver: Sendable {
    let client: SMTPClient
    let composer: MailComposer

    /// Hands over all of them at once. What becomes of each; nil for what was sent.
    func callAsFunction(_ mails: [StoredMail]) async -> [(StoredMail, MailFailure?)] {
        await withTaskGroup { group in
            for mail in mails {
                group.addTask { (mail, await failure(of: mail)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func failure(of stored: StoredMail) async -> MailFailure? {
        guard let mail = stored.mail else { return .unreadable }
        guard let message = composer.message(mail) else { return .unwritable }
        do throws(SMTPError) {
            try await client.send(
                SMTPMessage(
                    sender: composer.sender.address.normalized, recipient: message.recipient, content: message.bytes))
            return nil
        } catch {
            return MailFailure(error)
        }
    }
}
