package import Foundation

/// Base64url without padding (RFC 7515 §2).
package enum Base64URL {
    /// Nil for anything that is not exactly one encoding: padding, other letters, bits left over.
    package static func decode(_ text: some StringProtocol) -> Data? {
        guard text.utf8.allSatisfy({ isDigit($0) }) else { return nil }
        var standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard), encode(data) == String(text) else { return nil }
        return data
    }

    package static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
        default: false
        }
    }
}
