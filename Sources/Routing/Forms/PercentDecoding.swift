import HTTP
import Text

/// Percent-decoding (RFC 3986 §2.1), strict: every `%` needs two digits, and the outcome must be UTF-8 without NUL.
enum PercentDecoding {
    enum Plus {
        /// `+` is a space, as in forms.
        case space
        /// `+` is itself, as in paths.
        case literal
    }

    /// Appends the decoded bytes; false for a broken escape.
    static func append(
        _ bytes: Span<UInt8>, in range: Range<Int>, plus: Plus, to output: inout [UInt8]
    ) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            guard byte == .ascii("%") else {
                output.append(byte == .ascii("+") && plus == .space ? .space : byte)
                continue
            }
            guard index + 2 <= range.upperBound, let high = bytes[index].hexValue, let low = bytes[index + 1].hexValue else {
                return false
            }
            output.append(high << 4 | low)
            index += 2
        }
        return true
    }

    /// The decoded text, or `nil`.
    static func text(_ bytes: Span<UInt8>, in range: Range<Int>, plus: Plus) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        guard append(bytes, in: range, plus: plus, to: &output), !output.contains(0) else {
            return nil
        }
        return text(output[...])
    }

    /// Text that is not out of proportion, or `nil`.
    static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), text.isStreamSafe else { return nil }
        return text
    }
}
