import COpenSSL

/// The standard base64 alphabet (RFC 4648 §4) without padding, as PHC strings spell binary fields.
enum UnpaddedBase64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var output = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let length = unsafe Int(EVP_EncodeBlock(&output, bytes, Int32(bytes.count)))
        return String(decoding: output[..<length].prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// `nil` for anything that ``encode(_:)`` would not have written.
    static func decode(_ text: String) -> [UInt8]? {
        let padding = (4 - text.utf8.count % 4) % 4
        guard padding < 3 else { return nil }
        let padded = Array(text.utf8) + [UInt8](repeating: UInt8(ascii: "="), count: padding)
        var output = [UInt8](repeating: 0, count: padded.count / 4 * 3)
        let length = unsafe Int(EVP_DecodeBlock(&output, padded, Int32(padded.count)))
        ERR_clear_error()
        guard length >= padding else { return nil }
        let decoded = [UInt8](output[..<(length - padding)])
        // The library skips white space and ignores trailing bits; writing the bytes again shows any such liberty.
        return encode(decoded) == text ? decoded : nil
    }
}
