/// The URL-safe alphabet of RFC 4648 §5 without padding, as RFC 7515 §2 asks.
package enum Base64URL {
    package static func encode(_ bytes: Span<UInt8>) -> String {
        String(decoding: Base64Alphabet.urlSafe.encode(bytes), as: UTF8.self)
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span)
    }

    /// The encoded text as ASCII bytes, for callers that build byte buffers.
    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        Base64Alphabet.urlSafe.encode(bytes.span)
    }

    /// Strict: padding, white space, foreign symbols, impossible lengths and non-zero trailing bits give `nil`, so that no two
    /// texts decode to the same bytes.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(text)
    }

    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        decode(text.span)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        text.withBytes { decode($0) }
    }

    /// By their values.
    @usableFromInline
    static let symbols: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// The symbol of a value below 64. What is encoded is mostly random, so that the processor would guess a branch wrongly.
    @inlinable @inline(__always)
    package static func symbol(of value: UInt32) -> UInt8 {
        let symbols: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        return unsafe symbols.utf8Start[Int(value & 63)]
    }
}
