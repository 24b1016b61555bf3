import Testing
import Text

@testable import Identity

@Suite struct MailMessageTests {
    private static let id = UUID(version7At: Sample.now, random: Array(1...10))

    private func message(
        sender: String = "Kidoban <no-reply@id.example>", to recipient: String = "anna@example.com",
        subject: String = "Hello", text: String = "Hello\n", html: String? = nil, language: Mail.Language = .english
    ) throws -> String {
        let from = try #require(MailSender(sender))
        let message = MailMessage(
            id: Self.id, sender: from, recipient: recipient, language: language, date: Sample.now,
            subject: subject, text: text, html: html)
        return String(decoding: try #require(message).bytes, as: UTF8.self)
    }

    /// The value of a field, unfolded (RFC 5322 §2.2.3).
    private func field(_ name: String, _ message: String) -> String? {
        let head = message.split(separator: "\r\n\r\n", maxSplits: 1)[0].replacing("\r\n ", with: " ")
        return head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }

    /// RFC 2047: white space between encoded words is none.
    private func decodedWords(_ text: String) -> String {
        let words = text.split(separator: " ")
        let bytes = words.compactMap { word in
            Base64.decode(String(word.dropFirst("=?UTF-8?B?".count).dropLast(2))).map { String(validating: $0, as: UTF8.self) }
        }
        return bytes.map { $0 ?? "‹broken›" }.joined()
    }

    @Test func `a plain mail, octet for octet`() throws {
        #expect(
            try message()
                == [
                    "Date: Sun, 23 Nov 2025 04:05:06 +0000", "From: \"Kidoban\"", " <no-reply@id.example>",
                    "To: <anna@example.com>",
                    "Message-ID: <\(Self.id)@id.example>", "Subject: Hello", "Auto-Submitted: auto-generated",
                    "Content-Language: en",
                    "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
                    "",
                    "Hello", "",
                ].joined(separator: "\r\n"))
    }

    @Test func `text and HTML are alternatives, the better one last`() throws {
        let text = try message(text: "Hello", html: "<p>Hello</p>")
        let boundary = "=_\(Self.id)"
        #expect(field("Content-Type", text) == "multipart/alternative; boundary=\"\(boundary)\"")
        let parts = text.split(separator: "--\(boundary)")
        #expect(parts.count == 4)
        #expect(parts[1].hasPrefix("\r\nContent-Type: text/plain; charset=utf-8\r\n") && parts[1].hasSuffix("\r\n\r\nHello\r\n"))
        #expect(parts[2].hasPrefix("\r\nContent-Type: text/html; charset=utf-8\r\n"))
        #expect(parts[3] == "--\r\n")
    }

    @Test(arguments: [
        "パスワードの再設定", "Ünïcode", String(repeating: "長い件名", count: 40), String(repeating: "long ", count: 30), "=?UTF-8?B?YQ==?=",
    ])
    func `a subject of any language arrives, in words that end between characters`(_ subject: String) throws {
        let text = try message(subject: subject)
        #expect(decodedWords(try #require(field("Subject", text))) == subject)
        for line in text.split(separator: "\r\n") { #expect(line.utf8.count <= 76) }
    }

    @Test(arguments: [
        "Hello\r\nBcc: eve@example.com", "Hello\nBcc: eve@example.com", "Hello\rBcc: eve", "Hello\u{2028}Bcc", "a\0b",
    ])
    func `nothing in a subject begins another field`(_ subject: String) throws {
        let text = try message(subject: subject)
        #expect(field("Bcc", text) == nil)
        #expect(text.split(separator: "\r\n\r\n")[0].split(separator: "\r\n").count == 11)
        #expect(!text.contains("\0"))
    }

    @Test(arguments: [
        "anna@example.com\r\nBcc: eve@example.com", "anna@example.com>", "<anna@example.com", "anna@example.com, eve@example.com",
        "anna example@a.b", "anna@a@b", "@example.com", "anna@", "", "änna@example.com", "\"anna\"@example.com", "anna(x)@a.b",
    ])
    func `what is no plain address gets no mail`(_ recipient: String) throws {
        let sender = try #require(MailSender("a@b.example"))
        #expect(
            MailMessage(
                id: Self.id, sender: sender, recipient: recipient, language: .english, date: Sample.now, subject: "a", text: "b",
                html: nil) == nil)
    }

    @Test func `the sender's name is quoted or encoded`() throws {
        #expect(field("From", try message(sender: "a@b.example")) == "<a@b.example>")
        #expect(field("From", try message(sender: "Kidoban, Inc. <a@b.example>")) == "\"Kidoban, Inc.\" <a@b.example>")
        let from = try #require(field("From", try message(sender: "木戸番 <a@b.example>")))
        #expect(from.hasSuffix(" <a@b.example>") && decodedWords(String(from.dropLast(" <a@b.example>".count))) == "木戸番")
    }

    @Test(arguments: [
        "", "a", "é", "short = long", "ends in a blank ", "tab\t", ".", "a\r\nb\nc\rd", String(repeating: "x", count: 500),
    ])
    func `both encodings bring text back in lines of 76 octets at most`(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\r\n")
        for encoding in [MailEncoding.quotedPrintable, .base64] {
            let encoded = String(decoding: encoding.encode(text), as: UTF8.self)
            for line in encoded.split(separator: "\r\n") {
                #expect(line.utf8.count <= 76)
                #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 })
                #expect(line.last != " " && line.last != "\t")
            }
            #expect(decoded(encoded, encoding) == (encoding == .base64 || lines.isEmpty ? lines : lines + "\r\n"))
        }
    }

    @Test(arguments: 70...80)
    func `a soft line break never splits an octet`(_ length: Int) {
        for tail in ["=", "é", " ", "x"] {
            let text = String(repeating: "x", count: length) + tail
            let encoded = String(decoding: MailEncoding.quotedPrintable.encode(text), as: UTF8.self)
            #expect(encoded.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
            #expect(decoded(encoded, .quotedPrintable) == text + "\r\n")
        }
    }

    private func decoded(_ text: String, _ encoding: MailEncoding) -> String {
        guard encoding == .quotedPrintable else {
            return String(decoding: Base64.decode(text.replacing("\r\n", with: "")) ?? [], as: UTF8.self)
        }
        var bytes: [UInt8] = []
        var rest = Array(text.replacing("=\r\n", with: "").utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            bytes += Hex.decode(Array(rest.prefix(2))) ?? []
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite struct MailSenderTests {
    @Test func `a name and an address`() throws {
        let sender = try #require(MailSender("Kidoban <No-Reply@Example.com>"))
        #expect(sender.name == "Kidoban" && sender.address.normalized == "no-reply@example.com")
        #expect(sender.domain == "example.com" && sender.product == "Kidoban" && sender.text == "Kidoban <no-reply@example.com>")
        #expect(MailSender("\"Kidoban, Inc.\" <a@b.example>")?.name == "Kidoban, Inc.")
        let bare = try #require(MailSender("a@b.example"))
        #expect(bare.name.isEmpty && bare.product == "b.example" && bare.text == "a@b.example")
    }

    @Test(arguments: [
        "", "Kidoban", "Kidoban a@b.example", "Kidoban <a@b.example", "<>", "Kidoban <a@localhost>", "a@b.example ",
        " a@b.example",
        "Kido\r\nBcc: eve@example.com <a@b.example>", "Kido\u{202E}ban <a@b.example>", "A <x> B <a@b.example>",
        "a@b.example, c@d.example",
        "\(String(repeating: "x", count: 101)) <a@b.example>",
    ])
    func `anything else is none`(_ text: String) {
        #expect(MailSender(text) == nil)
    }
}
