import Testing

@testable import HTTP

/// Request smuggling: framing fields written so that two readers could see different boundaries. Each is either refused, with
/// nothing read, or understood in the one way that leaves a single request; the hidden one never comes out.
@Suite struct SmugglingTests {
    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

    /// The length covers the hidden request; a reader of chunks would stop before it.
    private static func lengthFirst(_ line: [UInt8], before: Bool) -> [UInt8] {
        let body = [UInt8]("0\r\n\r\n\(hidden)".utf8)
        return request(line, length: body.count, before: before) + body
    }

    /// The chunk covers the hidden request; a reader of the length would stop before it.
    private static func chunksFirst(_ line: [UInt8], before: Bool) -> [UInt8] {
        let size = String(hidden.utf8.count, radix: 16)
        return request(line, length: size.utf8.count + 2, before: before) + [UInt8]("\(size)\r\n\(hidden)\r\n0\r\n\r\n".utf8)
    }

    private static func request(_ line: [UInt8], length: Int, before: Bool) -> [UInt8] {
        let lengthLine = [UInt8]("Content-Length: \(length)\r\n".utf8)
        let line = line + [0x0d, 0x0a]
        return [UInt8]("POST / HTTP/1.1\r\nHost: a\r\n".utf8) + (before ? lengthLine + line : line + lengthLine) + [0x0d, 0x0a]
    }

    /// The published mutations of the Transfer-Encoding field, as text.
    static let known = [
        "Transfer-Encoding: chunked", " Transfer-Encoding: chunked", "\tTransfer-Encoding: chunked",
        "Transfer-Encoding:\tchunked",
        "Transfer-Encoding\t:\tchunked", "Transfer Encoding: chunked", "Transfer-Encoding : chunked", "Transfer-Encoding:chunked",
        "Transfer-Encoding:  chunked", "Transfer-Encoding:\u{b}chunked", "Transfer-Encoding:\u{c}chunked",
        "Transfer-Encoding: chunked, cow", "Transfer-Encoding: cow, chunked", "Transfer-Encoding:\n chunked",
        "Transfer-Encoding:\r\n chunked", "Transfer-Encoding:\r\n\tchunked", "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding: 'chunked'", "Transfer-Encoding: chunk", "TrAnSFer-EnCODinG: cHuNkeD", "TRANSFER-ENCODING: CHUNKED",
        "Transfer-Encoding: chunked\r", "Transfer-Encoding: chunked\t", "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow", "Transfer\r-Encoding: chunked",
        "Transfer-Encoding: cow chunked bar",
        "Transfer-Encoding: ch\u{96}nked", "Transf\u{82}r-Encoding: chunked", "X:X\rTransfer-Encoding: chunked",
        "X:X\nTransfer-Encoding: chunked", "X: X\r\n Transfer-Encoding: chunked", "Transfer-Encoding\r\n: chunked",
        "Transfer-Encoding: chunked\u{0}", "Transfer-Encoding\u{0}: chunked", "\u{0}Transfer-Encoding: chunked",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked,identity",
        "Transfer-Encoding: identity", "Transfer-Encoding: x\r\nTransfer-encoding: chunked", "Transfer-Encoding:",
        "Transfer-Encoding",
        "Transfer-Encoding=chunked", "Transfer-Encoding;: chunked", ":Transfer-Encoding: chunked", "Transfer-Encoding: chunked;x",
        "Content-Length: 3", "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length : 3", " Content-Length: 3",
        "Content-Length: +3", "Content-Length:", "Content-Length\u{0}: 3", "Content-Length\t: 3", "Content-Length: 3, 3",
    ]

    @Test(arguments: known) func `a known trick with the framing fields is refused`(line: String) {
        for before in [true, false] {
            for bytes in [
                Self.lengthFirst([UInt8](line.utf8), before: before), Self.chunksFirst([UInt8](line.utf8), before: before),
            ] {
                expectRefusal(of: bytes)
            }
        }
    }

    /// Every byte at every place where the published mutations put one.
    private static func lines(with insert: [UInt8]) -> [[UInt8]] {
        let name = [UInt8]("Transfer-Encoding".utf8)
        let middle = [UInt8](": ".utf8)
        let value = [UInt8]("chunked".utf8)
        let whole = name + middle + value
        let other = [UInt8]("X: X".utf8)
        let (carriageReturn, lineFeed): ([UInt8], [UInt8]) = ([0x0d], [0x0a])
        return [
            insert + whole, name + insert + middle + value, name + [0x3a] + insert + value, whole + insert,
            other + insert + whole, whole + insert + other, other + carriageReturn + insert + whole,
            other + insert + carriageReturn + whole, other + lineFeed + insert + whole, other + insert + lineFeed + whole,
            whole + carriageReturn + insert + other, whole + insert + lineFeed + other,
            [UInt8]("Transfer".utf8) + insert + [UInt8]("Encoding: chunked".utf8),
            name + middle + [UInt8]("chu".utf8) + insert + [UInt8]("nked".utf8),
        ]
    }

    @Test func `a byte anywhere in the framing field is refused or leaves one request`() {
        for byte in UInt8.min...UInt8.max {
            for line in Self.lines(with: [byte]) {
                expectNothingHidden(line)
            }
        }
    }

    @Test func `two bytes anywhere in the framing field are refused or leave one request`() {
        let special: [UInt8] = [
            0x00, 0x01, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b, 0x20, 0x22, 0x27, 0x2c, 0x2d, 0x3a, 0x3b, 0x3d, 0x5c, 0x5f,
            0x7f,
            0x80, 0x85, 0xa0, 0xff,
        ]
        for first in special {
            for second in special {
                for line in Self.lines(with: [first, second]) {
                    expectNothingHidden(line)
                }
            }
        }
    }

    /// Checks a mutated line against what the grammar says of it, in all four arrangements.
    private func expectNothingHidden(_ line: [UInt8]) {
        // An empty line ends the head for every reader.
        guard !line.starts(with: [0x0d, 0x0a]) else {
            return
        }
        let meaning = FieldGrammar(line)
        for before in [true, false] {
            let covered = Self.lengthFirst(line, before: before)
            guard meaning == .otherFields else {
                expectRefusal(of: covered, line)
                expectRefusal(of: Self.chunksFirst(line, before: before), line)
                continue
            }
            let conversation = Conversation(covered)
            #expect(conversation.requests.map(\.head.path) == ["/"], "\(line)")
            #expect(conversation.error == nil, "\(line)")
            #expect(conversation.rest == 0, "\(line)")
        }
    }

    private func expectRefusal(of bytes: [UInt8], _ line: [UInt8] = []) {
        let conversation = Conversation(bytes)
        #expect(conversation.requests.isEmpty, "\(line)")
        #expect([400, 501].contains(conversation.error?.status.code), "\(line)")
    }
}

/// A slow second opinion on field lines, written from RFC 9112 §5 without the parser's shortcuts.
private enum FieldGrammar {
    case malformed
    case transferEncoding
    case otherFields

    init(_ bytes: [UInt8]) {
        var (lines, line) = ([[UInt8]](), [UInt8]())
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x0d, index + 1 < bytes.count, bytes[index + 1] == 0x0a {
                lines.append(line)
                line = []
                index += 2
            } else {
                line.append(bytes[index])
                index += 1
            }
        }
        lines.append(line)
        let meanings = lines.map(Self.init(line:))
        if meanings.contains(.malformed) {
            self = .malformed
        } else {
            self = meanings.contains(.transferEncoding) ? .transferEncoding : .otherFields
        }
    }

    private init(line: [UInt8]) {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        guard let colon = line.firstIndex(of: 0x3a), colon > 0, line[..<colon].allSatisfy(tokens.contains),
            line[colon...].allSatisfy({ $0 == 0x09 || (0x20...0x7e).contains($0) })
        else {
            self = .malformed
            return
        }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        self = name == "transfer-encoding" || name == "content-length" ? .transferEncoding : .otherFields
    }
}
