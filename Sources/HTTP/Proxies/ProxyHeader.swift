import Networking

/// What a proxy says before the first byte of a connection that it passes on: the PROXY protocol, version 1 (text) or 2 (binary), as
/// HAProxy's `proxy-protocol.txt` defines it.
enum ProxyHeader: Equatable, Sendable {
    /// The address that the proxy was connected from.
    case source(IPAddress)
    /// The proxy asks for itself, as health checks do, or does not know an IP address.
    case ownConnection

    /// The bytes are no such header, or one that is too long.
    struct Malformed: Error, Equatable {}

    /// Reads the header off the front of a connection. A pure function, to be called again with more behind the same bytes while it
    /// answers `incomplete`, which is for 4 112 bytes at most. Refuses at the first byte that no header has there.
    static func parse(_ input: Span<UInt8>) throws(Malformed) -> ParseProgress<ProxyHeader> {
        guard input.count > 0 else { return .incomplete }
        return input[0] == .ascii("P") ? try parseText(input) : try parseBinary(input)
    }
}

/// Version 1, §2.1: `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443` and CR LF.
extension ProxyHeader {
    /// With its line end.
    private static let maximumTextLength = 107

    static func parseText(_ input: Span<UInt8>) throws(Malformed) -> ParseProgress<ProxyHeader> {
        let name: StaticString = "PROXY "
        for index in 0..<min(input.count, 6) where unsafe input[index] != name.utf8Start[index] { throw Malformed() }
        guard let end = input.firstIndex(of: .carriageReturn, in: 0..<min(input.count, maximumTextLength)) else {
            guard input.count < maximumTextLength else { throw Malformed() }
            return .incomplete
        }
        guard end + 1 < maximumTextLength, end > 6 else { throw Malformed() }
        guard end + 1 < input.count else { return .incomplete }
        guard input[end + 1] == .lineFeed else { throw Malformed() }
        return .complete(try read(input, in: 6..<end), consumed: end + 2)
    }

    private static func read(_ input: Span<UInt8>, in range: Range<Int>) throws(Malformed) -> ProxyHeader {
        let words = words(input, in: range)
        guard let family = words.first else { throw Malformed() }
        // What follows is to be ignored.
        if input.equals("UNKNOWN", in: family) { return .ownConnection }
        let isSix = input.equals("TCP6", in: family)
        guard isSix || input.equals("TCP4", in: family), words.count == 5, isPort(input, in: words[3]),
            isPort(input, in: words[4])
        else { throw Malformed() }
        let source = try address(input, in: words[1], isSix: isSix)
        _ = try address(input, in: words[2], isSix: isSix)
        return .source(source)
    }

    /// What stands between single spaces.
    private static func words(_ input: Span<UInt8>, in range: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start = range.lowerBound
        while let space = input.firstIndex(of: .space, in: start..<range.upperBound) {
            words.append(start..<space)
            start = space + 1
        }
        return words + [start..<range.upperBound]
    }

    private static func address(_ input: Span<UInt8>, in range: Range<Int>, isSix: Bool) throws(Malformed) -> IPAddress {
        guard (input.firstIndex(of: .ascii(":"), in: range) != nil) == isSix,
            let address = IPAddress(input.extracting(range))
        else { throw Malformed() }
        return address
    }

    /// 0 to 65535 without needless zeros.
    private static func isPort(_ input: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard (1...5).contains(range.count), range.count == 1 || input[range.lowerBound] != .ascii("0") else { return false }
        var port = 0
        for index in range {
            guard input[index].isDigit else { return false }
            port = port * 10 + Int(input[index] - .ascii("0"))
        }
        return port <= 65535
    }
}

/// Version 2, §2.2: a signature, four bytes, the addresses in binary form and then type-length-values, which are skipped. One of them
/// may be a checksum (`PP2_TYPE_CRC32C`): it is not checked, TCP has one of its own.
extension ProxyHeader {
    private static let signature: [12 of UInt8] = [
        0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a,
    ]
    private static let fixedLength = 16
    /// Bytes behind the fixed part: addresses have 216 at most, and certificates and the like are short here.
    private static let maximumRest = 4096

    static func parseBinary(_ input: Span<UInt8>) throws(Malformed) -> ParseProgress<ProxyHeader> {
        for index in 0..<min(input.count, 12) where input[index] != signature[index] { throw Malformed() }
        if input.count > 12 {
            guard input[12] == 0x20 || input[12] == 0x21 else { throw Malformed() }
        }
        guard input.count >= fixedLength else { return .incomplete }
        let length = Int(input[14]) << 8 | Int(input[15])
        guard length <= maximumRest else { throw Malformed() }
        guard input.count >= fixedLength + length else { return .incomplete }
        let rest = input.extracting(fixedLength..<fixedLength + length)
        // LOCAL: whatever the rest says.
        let header = input[12] == 0x20 ? .ownConnection : try source(rest, family: input[13])
        return .complete(header, consumed: fixedLength + length)
    }

    private static func source(_ rest: Span<UInt8>, family: UInt8) throws(Malformed) -> ProxyHeader {
        switch family {
        case 0x11:
            guard rest.count >= 12 else { throw Malformed() }
            return .source(.v4(UInt32(truncatingIfNeeded: number(rest, at: 0, length: 4))))
        case 0x21:
            guard rest.count >= 36 else { throw Malformed() }
            return .source(IPAddress(upper: number(rest, at: 0, length: 8), lower: number(rest, at: 8, length: 8)))
        case 0x00, 0x31, 0x32:
            // Unspecified, or a socket of the proxy's machine.
            return .ownConnection
        default:
            throw Malformed()
        }
    }

    private static func number(_ bytes: Span<UInt8>, at offset: Int, length: Int) -> UInt64 {
        (0..<length).reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }
}
