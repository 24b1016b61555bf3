import Networking
import Testing

@testable import HTTP

@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]
    private static let four: [UInt8] = [203, 0, 113, 9, 10, 0, 0, 1, 0x12, 0x67, 0x01, 0xbb]
    private static let six: [UInt8] =
        [0x20, 0x01, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [9] + Array(repeating: 1, count: 16) + [1, 2, 3, 4]
    private static let mapped: [UInt8] =
        Array(repeating: 0, count: 10) + [255, 255, 203, 0, 113, 9] + Array(repeating: 1, count: 16) + [1, 2, 3, 4]

    /// Version 2.
    private static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? rest.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + rest
    }

    private func parse(_ bytes: [UInt8]) throws(ProxyHeader.Malformed) -> ParseProgress<ProxyHeader> {
        try ProxyHeader.parse(bytes.span)
    }

    struct Good: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        /// Nil where the proxy asks for itself.
        let source: String?

        init(_ text: String, _ source: String?) {
            (testDescription, bytes, self.source) = (text, [UInt8]((text + "\r\n").utf8), source)
        }

        init(_ name: String, _ bytes: [UInt8], _ source: String?) {
            (testDescription, self.bytes, self.source) = (name, bytes, source)
        }
    }

    static let longest = "PROXY UNKNOWN " + String(repeating: "f", count: 91)

    static let good: [Good] = [
        Good("PROXY TCP4 203.0.113.9 10.0.0.1 4711 443", "203.0.113.9"),
        Good("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535", "255.255.255.255"),
        Good("PROXY TCP4 203.0.113.9 10.0.0.1 0 0", "203.0.113.9"), Good("PROXY TCP6 2001:db8::9 ::1 4711 443", "2001:db8::9"),
        Good("PROXY TCP6 ::ffff:203.0.113.9 ::1 1 2", "203.0.113.9"),
        Good(
            "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        Good("PROXY UNKNOWN", nil), Good("PROXY UNKNOWN whatever 1 2 3 4 5 6 7", nil), Good(longest, nil),
        Good("2: TCP over IPv4", binary(0x21, 0x11, four), "203.0.113.9"),
        Good("2: TCP over IPv6", binary(0x21, 0x21, six), "2001:db8::9"),
        Good("2: IPv4 in IPv6", binary(0x21, 0x21, mapped), "203.0.113.9"),
        Good(
            "2: with TLVs, a wrong checksum among them", binary(0x21, 0x11, four + [3, 0, 4, 9, 9, 9, 9, 4, 0, 0]), "203.0.113.9"),
        Good("2: the longest", binary(0x21, 0x11, four + Array(repeating: 4, count: 4084)), "203.0.113.9"),
        Good("2: LOCAL", binary(0x20, 0x00, []), nil), Good("2: LOCAL with addresses", binary(0x20, 0x11, four), nil),
        Good("2: LOCAL with what nobody knows", binary(0x20, 0xff, [1]), nil),
        Good("2: unspecified", binary(0x21, 0x00, [1, 2, 3]), nil),
        Good("2: Unix", binary(0x21, 0x31, Array(repeating: 0x61, count: 216)), nil),
    ]

    @Test(arguments: good)
    func `a header is read byte by byte, and what follows is left`(_ good: Good) throws {
        let expected: ProxyHeader = try good.source.map { .source(try #require(IPAddress($0))) } ?? .ownConnection
        for length in 0..<good.bytes.count {
            guard case .incomplete = try parse(Array(good.bytes[..<length])) else {
                Issue.record("complete after \(length) bytes")
                return
            }
        }
        for rest in [[], [UInt8]("GET / HTTP/1.1\r\n".utf8), good.bytes] {
            guard case .complete(let header, let consumed) = try parse(good.bytes + rest) else {
                Issue.record("incomplete")
                return
            }
            #expect(header == expected)
            #expect(consumed == good.bytes.count)
        }
    }

    static let badText: [String] = [
        "GET / HTTP/1.1", "PROXY", "PROXY ", "PROXY  TCP4 203.0.113.9 10.0.0.1 1 2", "proxy TCP4 203.0.113.9 10.0.0.1 1 2",
        "PROXY\tUNKNOWN",
        "PROXY TCP4", "PROXY TCP4 203.0.113.9", "PROXY TCP4 203.0.113.9 10.0.0.1 1", "PROXY TCP4 203.0.113.9 10.0.0.1 1 2 3",
        "PROXY TCP4 203.0.113.9 10.0.0.1 1 2 ", "PROXY TCP4 203.0.113.9  10.0.0.1 1 2", "PROXY TCP4 a 10.0.0.1 1 2",
        "PROXY TCP4 203.0.113.9 a 1 2",
        "PROXY TCP4 2001:db8::9 ::1 1 2", "PROXY TCP6 203.0.113.9 10.0.0.1 1 2", "PROXY TCP4 203.0.113.9 10.0.0.1 65536 2",
        "PROXY TCP4 203.0.113.9 10.0.0.1 1 65536", "PROXY TCP4 203.0.113.9 10.0.0.1 01 2", "PROXY TCP4 203.0.113.9 10.0.0.1 -1 2",
        "PROXY TCP4 203.0.113.9 10.0.0.1 x 2", "PROXY TCP4 203.0.113.9 10.0.0.1  2", "PROXY UDP4 203.0.113.9 10.0.0.1 1 2",
        "PROXY UNKNOWNX",
        "PROXY TCP4 203.0.113.9 10.0.0.1 1 2\rx", "PROXY TCP4 203.0.113.09 10.0.0.1 1 2", longest + "f",
    ]

    @Test(arguments: badText)
    func `anything else is refused`(text: String) {
        #expect(throws: ProxyHeader.Malformed.self) { try parse([UInt8]((text + "\r\n").utf8)) }
    }

    static let badBytes: [[UInt8]] = [
        binary(0x11, 0x11, four), binary(0x22, 0x11, four), binary(0x01, 0x11, four), binary(0x21, 0x12, four),
        binary(0x21, 0x22, six),
        binary(0x21, 0x41, six), binary(0x21, 0x10, four), binary(0x21, 0x11, Array(four.dropLast())), binary(0x21, 0x11, []),
        binary(0x21, 0x21, Array(six.dropLast())), binary(0x21, 0x11, four, length: 4097), binary(0x20, 0x00, [], length: 65535),
        Array(signature.dropLast()) + [0x0b], [0x16, 0x03, 0x01], [0x0d, 0x0a, 0x0d, 0x0a, 0x47], [0],
    ]

    @Test(arguments: badBytes)
    func `any other binary header is refused`(bytes: [UInt8]) {
        #expect(throws: ProxyHeader.Malformed.self) { try parse(bytes) }
    }

    @Test func `a header is refused at the first byte that cannot be`() throws {
        for bytes in [[UInt8]("PROXY ".utf8), Self.signature] {
            for index in bytes.indices.dropFirst() {
                #expect(throws: ProxyHeader.Malformed.self) { try parse(bytes[..<index] + [0x7e]) }
            }
        }
        let endless = [UInt8]("PROXY UNKNOWN ".utf8) + Array(repeating: 0x66, count: 93)
        #expect(throws: ProxyHeader.Malformed.self) { try parse(endless) }
        guard case .incomplete = try parse(endless.dropLast()) else {
            Issue.record("complete")
            return
        }
    }
}
