/// Base 16 (RFC 4648 §8), written in lower case and read in either.
package enum Hex {
    package static func encode(_ bytes: Span<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes.span)
    }

    /// The digits as ASCII bytes, for callers that build byte buffers.
    package static func encodedBytes(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](capacity: bytes.count * 2) { output in
            for index in 0..<bytes.count {
                output.append(digit(bytes[index] >> 4))
                output.append(digit(bytes[index] & 15))
            }
        }
    }

    /// `nil` for an odd number of digits or anything that is not a digit.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else { return nil }
            output.append(high << 4 | low)
        }
        return output
    }

    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        decode(text.span)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode([UInt8](text.utf8).span)
    }

    /// The eight digits of a number as ASCII bytes, the first in the highest byte: all at once, without a branch.
    @inlinable @inline(__always)
    package static func digits(of number: UInt32) -> UInt64 {
        var nibbles = UInt64(number)
        nibbles = (nibbles | nibbles &<< 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles &<< 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles | nibbles &<< 4) & 0x0f0f_0f0f_0f0f_0f0f
        let letters = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        // From "9" to "a" it is 39 more than one step.
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// The lower-case digit of a value below 16.
    @inlinable
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }

    /// The value of an ASCII digit in either case.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
