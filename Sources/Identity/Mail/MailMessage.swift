package import Text

/// A mail as it is handed over: RFC 5322 with MIME (RFC 2045, 2046). Its lines end in CR LF and have at most 76 octets, where an
/// address does not take more.
package struct MailMessage: Sendable {
    /// Of the mail in the outbox: the same mail has the same `Message-ID`, however often it is sent.
    package let id: UUID
    package let sender: MailSender
    package let recipient: String
    package let language: Mail.Language
    package let date: Timestamp
    package let subject: String
    package let text: String
    /// Nil for a mail that is text alone.
    package let html: String?

    /// - Returns: nil for a recipient that cannot be written as an address without further ado.
    package init?(
        id: UUID, sender: MailSender, recipient: String, language: Mail.Language, date: Timestamp, subject: String, text: String,
        html: String?
    ) {
        guard Self.isPlain(recipient), Self.isPlain(sender.address.normalized) else { return nil }
        self.id = id
        self.sender = sender
        self.recipient = recipient
        self.language = language
        self.date = date
        self.subject = subject
        self.text = text
        self.html = html
    }

    package var messageID: String {
        "<\(id)@\(sender.domain)>"
    }

    package var bytes: [UInt8] {
        var output = [UInt8](head.utf8)
        guard let html else {
            output += Self.part("text/plain", text)
            return output
        }
        output += line("Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"") + line("")
        for (type, content) in [("text/plain", text), ("text/html", html)] {
            output += line("--\(boundary)")
            output += Self.part(type, content)
        }
        return output + line("--\(boundary)--")
    }

    private var head: String {
        let from = sender.name.isEmpty ? "" : MailHeaderText.phrase(sender.name) + "\r\n "
        let fields = [
            "Date: \(date.httpDate.dropLast(3))+0000",
            "From: \(from)<\(sender.address.normalized)>",
            "To: <\(recipient)>",
            "Message-ID: \(messageID)",
            "Subject: \(MailHeaderText.encoded(subject))",
            // RFC 3834 §5: no holiday greeting comes back.
            "Auto-Submitted: auto-generated",
            "Content-Language: \(language.rawValue)",
            "MIME-Version: 1.0",
        ]
        return fields.map { $0 + "\r\n" }.joined()
    }

    /// Neither encoding writes `=_`.
    private var boundary: String {
        "=_\(id)"
    }

    private func line(_ text: String) -> [UInt8] {
        Array((text + "\r\n").utf8)
    }

    private static func part(_ type: String, _ content: String) -> [UInt8] {
        let encoding = MailEncoding.suiting(content)
        let head = "Content-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: \(encoding.rawValue)\r\n\r\n"
        return Array(head.utf8) + encoding.encode(content)
    }

    /// Visible ASCII with one `@`, and nothing that means something else in a field of addresses (RFC 5322 §3.4).
    private static func isPlain(_ address: String) -> Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && address.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>()[]\\,;:\"".utf8.contains($0) }
    }
}
