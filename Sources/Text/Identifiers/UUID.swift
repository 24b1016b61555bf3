/// A universally unique identifier (RFC 9562), rendered in lower case.
package struct UUID: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Sixteen bytes in network order; `nil` for any other number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 8-4-4-4-12 form with digits in either case; braces, `urn:uuid:` and white space are refused.
    package init?(_ text: some StringProtocol) {
        self.init(text: [UInt8](text.utf8).span)
    }

    /// The same from ASCII bytes.
    package init?(text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var words: [2 of UInt64] = [0, 0]
        var digits = 0
        for index in 0..<36 {
            switch index {
            case 8, 13, 18, 23:
                guard text[index] == UInt8(ascii: "-") else { return nil }
            default:
                guard let value = Hex.value(of: text[index]) else { return nil }
                words[digits / 16] = words[digits / 16] << 4 | UInt64(value)
                digits += 1
            }
        }
        self.init(high: words[0], low: words[1])
    }

    /// A version 7 identifier (RFC 9562 §5.7): 48 bits of milliseconds, then 74 of the 80 given random bits.
    ///
    /// `random` should hold ten bytes from a secure source: missing bytes count as zero, further ones are ignored. Instants
    /// before 1970 count as 1970.
    package init(version7At instant: Timestamp, random: [UInt8]) {
        var random = random.prefix(10)
        random.append(contentsOf: repeatElement(0, count: 10 - random.count))
        let first = random.prefix(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let second = random.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let milliseconds = UInt64(max(0, instant.milliseconds)) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | first & 0x0FFF
        low = 0x8000_0000_0000_0000 | second & 0x3FFF_FFFF_FFFF_FFFF
    }

    /// Sixteen bytes in network order.
    package var bytes: [UInt8] {
        [UInt8](capacity: 16) { output in
            for index: UInt64 in 0..<8 { output.append(UInt8(truncatingIfNeeded: high &>> (56 &- 8 &* index))) }
            for index: UInt64 in 0..<8 { output.append(UInt8(truncatingIfNeeded: low &>> (56 &- 8 &* index))) }
        }
    }

    /// The version digit of RFC 9562 §4.2.
    package var version: Int {
        Int(high >> 12 & 15)
    }

    package var description: String {
        String(decoding: textBytes, as: UTF8.self)
    }

    /// The description as ASCII bytes, for callers that build byte buffers.
    package var textBytes: [UInt8] {
        [UInt8](capacity: 36) { $0.append(uuid: high, low) }
    }

    /// The order of the bytes, which for version 7 is the order of creation.
    package static func < (left: UUID, right: UUID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
