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
        text.withBytes { decode($0) }
    }
}

/// One of the two alphabets of RFC 4648, with the strict coding both share.
struct Base64Alphabet: Sendable {
    /// By their values.
    private let symbols: StaticString
    /// Of each byte that is a symbol.
    private let values: [UInt8]
    private let isPadded: Bool

    private static let invalid: UInt8 = 0xFF

    /// RFC 4648 §4.
    static let standard = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", isPadded: true)
    /// RFC 4648 §5, without padding as RFC 7515 §2 asks.
    static let urlSafe = Base64Alphabet(Base64URL.symbols, isPadded: false)

    private init(_ symbols: StaticString, isPadded: Bool) {
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for value in 0..<64 { values[Int(unsafe symbols.utf8Start[value])] = UInt8(value) }
        self.symbols = symbols
        self.values = values
        self.isPadded = isPadded
    }

    func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: (bytes.count + 2) / 3 * 4) { output in
            output.append(bytes, inSymbols: symbols)
            while isPadded, output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
        }
    }

    /// The only text that decodes to given bytes is the one that `encode` makes of them; anything else is `nil`.
    func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let length = unpaddedLength(of: text), length % 4 != 1 else { return nil }
        // What is no symbol has bits that no value has.
        var (seen, rest): (UInt8, UInt32) = (0, 0)
        let bytes = [UInt8](capacity: length * 3 / 4) { output in
            func group(at index: Int, of count: Int) -> UInt32 {
                var group: UInt32 = 0
                for index in index..<index + count {
                    let value = values[Int(text[index])]
                    seen |= value
                    group = group &<< 6 | UInt32(value)
                }
                return group
            }
            for index in stride(from: 0, to: length - 3, by: 4) {
                let group = group(at: index, of: 4)
                output.append(UInt8(truncatingIfNeeded: group &>> 16))
                output.append(UInt8(truncatingIfNeeded: group &>> 8))
                output.append(UInt8(truncatingIfNeeded: group))
            }
            let left = length % 4
            guard left > 0 else { return }
            let group = group(at: length - left, of: left) &<< (6 * UInt32(4 - left))
            output.append(UInt8(truncatingIfNeeded: group &>> 16))
            if left == 3 { output.append(UInt8(truncatingIfNeeded: group &>> 8)) }
            rest = left == 3 ? group & 0xFF : group & 0xFFFF
        }
        return seen < 64 && rest == 0 ? bytes : nil
    }

    private func unpaddedLength(of text: Span<UInt8>) -> Int? {
        guard isPadded else { return text.count }
        guard text.count % 4 == 0 else { return nil }
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        return length
    }
}

extension StringProtocol {
    /// Reads the text where it is, if it is in one piece.
    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable { unsafe body($0.span) } ?? body([UInt8](utf8).span)
    }
}
