/// Mail waits in the outbox; nothing sends it yet.
enum MailCheck {
    static let finding = Finding("mail", .skipped, "mail is not sent by this version")
}
