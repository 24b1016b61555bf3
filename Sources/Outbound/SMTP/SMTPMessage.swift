/// A mail for one recipient, as it travels (RFC 5321 §2.3).
package struct SMTPMessage: Sendable {
    /// In bytes, of a line without its end (RFC 5321 §4.5.3.1.6).
    package static let maximumLineLength = 998
    /// In bytes (RFC 5321 §4.5.3.1.3, less the angle brackets).
    private static let maximumAddressLength = 254

    /// The address in MAIL FROM, without angle brackets.
    package let sender: String
    /// The address in RCPT TO, without angle brackets.
    package let recipient: String
    /// Header and body (RFC 5322). Every line ends with CR LF, and a dot at its beginning is the transport's concern.
    package let content: [UInt8]

    package init(sender: String, recipient: String, content: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.content = content
    }

    /// Whether it can be sent to any server as it is, so that one mail can never become two: plain ASCII addresses, and content of 7-bit
    /// lines that are not too long, with CR and LF as the ends of lines only (RFC 5321 §2.3.7 and §2.3.8).
    var isSendable: Bool {
        Self.isAddress(sender) && Self.isAddress(recipient) && Self.isContent(content)
    }

    /// No quoted local parts, no SMTPUTF8 (RFC 6531).
    private static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= maximumAddressLength
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>()\"\\,;".utf8.contains($0) }
    }

    private static func isContent(_ content: [UInt8]) -> Bool {
        var length = 0
        var endsLine = false
        for byte in content {
            switch (byte, endsLine) {
            case (UInt8(ascii: "\n"), true):
                length = 0
                endsLine = false
            case (UInt8(ascii: "\r"), false): endsLine = true
            case (1...0x7F, false) where byte != UInt8(ascii: "\n") && length < maximumLineLength: length += 1
            default: return false
            }
        }
        return !content.isEmpty && length == 0 && !endsLine
    }
}
