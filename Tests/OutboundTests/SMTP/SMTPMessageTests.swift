import Testing

@testable import Outbound

@Suite struct SMTPMessageTests {
    private func isSendable(sender: String = "a@b.example", recipient: String = "c@d.example", _ content: String = "a: b\r\n")
        -> Bool
    {
        SMTPMessage(sender: sender, recipient: recipient, content: Array(content.utf8)).isSendable
    }

    private static let longest = String(repeating: "x", count: 254 - "@d.example".utf8.count) + "@d.example"

    @Test(arguments: ["a@b", "a.b+c@d.example", "!#$%&'*+-/=?^_`{|}~@d.example", "a@[192.0.2.1]", longest])
    func `plain addresses can be sent`(address: String) {
        #expect(isSendable(sender: address))
        #expect(isSendable(recipient: address))
    }

    @Test(arguments: [
        "", "@", "a", "a@", "@b", "a@b@c", "a b@c", "a@b ", "a@b\r\nRCPT TO:<x@y>", "a@b\n", "a@b\r", "a@b\0", "<a@b>", "a@b>",
        "a@b> X=y",
        "\"a b\"@c", "\"a\"@c", "a\\@b", "a,b@c", "a;b@c", "a(b)@c", "ä@b.example", "a@ä.example", "a@b\u{7F}", "a\t@b",
        "x" + longest,
    ])
    func `no other address can`(address: String) {
        #expect(!isSendable(sender: address))
        #expect(!isSendable(recipient: address))
    }

    @Test(arguments: [
        "a: b\r\n", "a: b\r\n\r\n", "\r\n", ".\r\n", "a\r\n.\r\nb\r\n", "a\tb\u{7F}\u{1}\r\n",
        String(repeating: "x", count: 998) + "\r\n",
        "." + String(repeating: "x", count: 997) + "\r\n",
    ])
    func `lines of 7 bits can be sent`(content: String) {
        #expect(isSendable(content))
    }

    @Test(arguments: [
        "", "a", "a\r", "a\n", "\n", "\r", "a\nb\r\n", "a\rb\r\n", "a\r\r\n", "a\r\n\n", "a\n.\r\nb\r\n", "a\r\n.\nb\r\n",
        "a\r.\r\n", "a\0b\r\n",
        "ä\r\n", String(repeating: "x", count: 999) + "\r\n", "a\r\n" + String(repeating: "x", count: 999) + "\r\n",
    ])
    func `nothing else can`(content: String) {
        #expect(!isSendable(content))
    }

    @Test func `content ends with a line`() {
        let content = "Subject: a\r\n\r\n.\r\nb\r\n"
        for length in 0...content.utf8.count {
            let prefix = String(decoding: content.utf8.prefix(length), as: UTF8.self)
            #expect(isSendable(prefix) == prefix.hasSuffix("\r\n"), "\(length)")
        }
    }
}
