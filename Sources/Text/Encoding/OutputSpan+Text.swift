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
        // Two digits at a time from the last on: so each division is by a constant.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let output = unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<count + digits])
            var (rest, index) = (UInt(bitPattern: number), digits)
            while index > 1 {
                index &-= 2
                let pair = rest % 100
                let tens = (pair &* 103) &>> 10
                unsafe output[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
                unsafe output[index + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair &- tens &* 10)
                rest /= 100
            }
            if index == 1 { unsafe output[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest) }
            count += digits
        }
    }

    /// Sixteen bytes as the text of a UUID, 36 bytes.
    package mutating func append(uuid bytes: Span<UInt8>) {
        precondition(bytes.count == 16 && freeCapacity >= 36)
        func digits(_ index: Int) -> UInt64 {
            Hex.digits(of: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: UInt32.self).bigEndian)
        }
        let (first, second, third, fourth) = (digits(0), digits(1), digits(2), digits(3))
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let output = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<count + 36])
            func store(_ digits: UInt64, at offset: Int) {
                unsafe output.storeBytes(of: digits.bigEndian, toByteOffset: offset, as: UInt64.self)
            }
            // Each writes eight digits; what is too much of them the next one writes over.
            store(first, at: 0)
            store(second, at: 9)
            store(second << 32, at: 14)
            store(third, at: 19)
            store(third << 32, at: 24)
            store(fourth, at: 28)
            for offset in [8, 13, 18, 23] { unsafe output[offset] = UInt8(ascii: "-") }
            count += 36
        }
    }

    /// Whatever number of bytes in base64url, without padding: four bytes for three.
    package mutating func append(base64URL bytes: Span<UInt8>) {
        let symbols = (bytes.count * 8 + 5) / 6
        precondition(symbols <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let output = unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<count + symbols])
            var position = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                var group = UInt32(bytes[start]) << 16
                if start + 1 < bytes.count { group |= UInt32(bytes[start + 1]) << 8 }
                if start + 2 < bytes.count { group |= UInt32(bytes[start + 2]) }
                for shift: UInt32 in [18, 12, 6, 0] where position < symbols {
                    unsafe output[position] = Base64URL.symbol(of: group &>> shift)
                    position += 1
                }
            }
            count += symbols
        }
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
