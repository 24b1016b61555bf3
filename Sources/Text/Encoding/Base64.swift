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
