import Networking

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
