/// Texts behind each other in memory that is taken once: what a request writes of bytes, it writes so. Who asks for the memory has to ask for
/// enough; more than there is ends the process.
extension OutputSpan<UInt8> {
    @inlinable
    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            if let target = buffer.baseAddress, let source = bytes.baseAddress {
                unsafe (target + count).initialize(from: source, count: bytes.count)
            }
            count += bytes.count
        }
    }

    @inlinable
    package mutating func append(_ literal: StaticString) {
        unsafe append(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inlinable
    package mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
    }

    @inlinable
    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// A number that is not negative, at most 19 bytes.
    package mutating func append(decimal number: Int) {
        precondition(number >= 0)
        var (digits, power) = (1, 10)
        while digits < 19, number >= power {
            digits += 1
            power &*= 10
        }
        precondition(digits <= freeCapacity)
        // From the last digit on: so each division is by a constant.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            var rest = number
            for index in stride(from: count + digits - 1, through: count, by: -1) {
                unsafe buffer.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            count += digits
        }
    }

    /// Sixteen bytes as the text of a UUID, 36 bytes.
    package mutating func append(uuid bytes: Span<UInt8>) {
        precondition(bytes.count == 16)
        for index in stride(from: 0, to: 16, by: 2) {
            if index == 4 || index == 6 || index == 8 || index == 10 { append(UInt8(ascii: "-")) }
            let digits = Hex.digits(of: UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1]))
            for shift in stride(from: 24, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: digits &>> UInt64(shift))) }
        }
    }

    /// Whatever number of bytes in base64url, without padding: four bytes for three.
    package mutating func append(base64URL bytes: Span<UInt8>) {
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for index in bytes.indices {
            group = group << 8 | UInt32(bytes[index])
            bits += 8
            while bits >= 6 {
                bits -= 6
                append(Base64URL.symbol(of: group >> bits & 63))
            }
        }
        if bits > 0 { append(Base64URL.symbol(of: group << (6 - bits) & 63)) }
    }
}

extension [UInt8] {
    /// Sixteen bytes as the text of a UUID.
    package mutating func append(uuid bytes: Span<UInt8>) {
        append(addingCapacity: 36) { $0.append(uuid: bytes) }
    }

    /// Whatever number of bytes in base64url, without padding.
    package mutating func append(base64URL bytes: Span<UInt8>) {
        append(addingCapacity: bytes.count * 4 / 3 + 1) { $0.append(base64URL: bytes) }
    }
}
