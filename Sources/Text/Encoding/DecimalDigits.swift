/// Fixed-width decimal numbers, of which dates and times are made.
extension [UInt8] {
    /// A non-negative number in decimal, padded with zeros on the left.
    mutating func append(_ number: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    /// `hh:mm:ss` of seconds since midnight.
    mutating func append(timeOfDay seconds: Int) {
        append(seconds / 3600, width: 2)
        append(UInt8(ascii: ":"))
        append(seconds / 60 % 60, width: 2)
        append(UInt8(ascii: ":"))
        append(seconds % 60, width: 2)
    }

    /// The number that the digits of a range spell; `nil` when one of them is not a digit.
    func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for byte in self[range] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}

extension Int {
    /// Digits of ASCII only, at least one, where `Int` would take a sign too.
    package init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
