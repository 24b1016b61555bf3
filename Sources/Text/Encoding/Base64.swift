/// The standard alphabet of RFC 4648 §4 with padding, as HTTP Basic authentication uses it (RFC 7617 §2).
package enum Base64 {
    package static func encode(_ bytes: Span<UInt8>) -> String {
        String(decoding: Base64Alphabet.standard.encode(bytes), as: UTF8.self)
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span)
    }

    /// Strict: missing padding, white space, foreign symbols and non-zero trailing bits give `nil`.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        Base64Alphabet.standard.decode(text)
    }

    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        decode(text.span)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode([UInt8](text.utf8).span)
    }
}

/// One of the two alphabets of RFC 4648, with the strict coding both share.
struct Base64Alphabet: Sendable {
    private let symbols: [UInt8]
    private let values: [UInt8]
    private let isPadded: Bool

    private static let invalid: UInt8 = 0xFF

    /// RFC 4648 §4.
    static let standard = Base64Alphabet(symbol62: UInt8(ascii: "+"), symbol63: UInt8(ascii: "/"), isPadded: true)
    /// RFC 4648 §5, without padding as RFC 7515 §2 asks.
    static let urlSafe = Base64Alphabet(symbol62: UInt8(ascii: "-"), symbol63: UInt8(ascii: "_"), isPadded: false)

    private init(symbol62: UInt8, symbol63: UInt8, isPadded: Bool) {
        let letters = Array(UInt8(ascii: "A")...UInt8(ascii: "Z")) + Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
        symbols = letters + Array(UInt8(ascii: "0")...UInt8(ascii: "9")) + [symbol62, symbol63]
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, symbol) in symbols.enumerated() { values[Int(symbol)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 3 <= bytes.count {
            let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            output.append(symbols[group >> 18])
            output.append(symbols[group >> 12 & 63])
            output.append(symbols[group >> 6 & 63])
            output.append(symbols[group & 63])
            index += 3
        }
        appendTail(of: bytes, from: index, to: &output)
        return output
    }

    private func appendTail(of bytes: Span<UInt8>, from index: Int, to output: inout [UInt8]) {
        let remainder = bytes.count - index
        guard remainder > 0 else { return }
        let group = Int(bytes[index]) << 16 | (remainder == 2 ? Int(bytes[index + 1]) << 8 : 0)
        output.append(symbols[group >> 18 & 63])
        output.append(symbols[group >> 12 & 63])
        if remainder == 2 { output.append(symbols[group >> 6 & 63]) }
        if isPadded { output.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - remainder)) }
    }

    /// The only text that decodes to given bytes is the one that `encode` makes of them; anything else is `nil`.
    func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let length = unpaddedLength(of: text), length % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(length * 3 / 4)
        var group = 0
        var bits = 0
        for index in 0..<length {
            let value = values[Int(text[index])]
            guard value != Self.invalid else { return nil }
            group = group << 6 | Int(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= (1 << bits) - 1
            }
        }
        return group == 0 ? output : nil
    }

    private func unpaddedLength(of text: Span<UInt8>) -> Int? {
        guard isPadded else { return text.count }
        guard text.count % 4 == 0 else { return nil }
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        return length
    }
}
