/// Published vectors are written as text of hexadecimal digits.
func bytes(hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    precondition(digits.count % 2 == 0)
    return stride(from: 0, to: digits.count, by: 2).map { index in
        guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
            preconditionFailure("not a hexadecimal digit")
        }
        return byte
    }
}

/// A copy with one bit turned, counted from the highest bit of the first byte.
func flipping(bit: Int, of bytes: [UInt8]) -> [UInt8] {
    var changed = bytes
    changed[bit / 8] ^= 0x80 >> UInt8(bit % 8)
    return changed
}

extension [UInt8] {
    init(copying span: Span<UInt8>) {
        self = span.indices.map { span[$0] }
    }
}
