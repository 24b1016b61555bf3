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
        append(decimal: UInt(number))
    }

    /// At most 20 bytes.
    package mutating func append(decimal number: UInt) {
        var (digits, power): (Int, UInt) = (1, 10)
        while digits < 20, number >= power {
            digits += 1
            power &*= 10
        }
        precondition(digits <= freeCapacity)
        // Two digits at a time from the last on: so each division is by a constant.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let output = unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<count + digits])
            var (rest, index) = (number, digits)
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
        precondition(bytes.count == 16)
        let high = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self).bigEndian
        let low = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
        append(uuid: high, low)
    }

    /// The same from its halves.
    mutating func append(uuid high: UInt64, _ low: UInt64) {
        precondition(freeCapacity >= 36)
        let first = Hex.digits(of: UInt32(truncatingIfNeeded: high &>> 32))
        let second = Hex.digits(of: UInt32(truncatingIfNeeded: high))
        let third = Hex.digits(of: UInt32(truncatingIfNeeded: low &>> 32))
        let fourth = Hex.digits(of: UInt32(truncatingIfNeeded: low))
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
        append(bytes, inSymbols: Base64URL.symbols)
    }

    /// Six bits of each in one of 64 symbols, zeros behind the last (RFC 4648 §4).
    mutating func append(_ bytes: Span<UInt8>, inSymbols symbols: StaticString) {
        let length = (bytes.count * 8 + 5) / 6
        precondition(length <= freeCapacity && symbols.utf8CodeUnitCount == 64)
        let table = unsafe symbols.utf8Start
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let output = unsafe UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[count..<count + length])
            var (start, position) = (0, 0)
            while start &+ 3 <= bytes.count {
                let group = Int(bytes[start]) &<< 16 | Int(bytes[start &+ 1]) &<< 8 | Int(bytes[start &+ 2])
                unsafe output[position] = table[group &>> 18]
                unsafe output[position &+ 1] = table[group &>> 12 & 63]
                unsafe output[position &+ 2] = table[group &>> 6 & 63]
                unsafe output[position &+ 3] = table[group & 63]
                start &+= 3
                position &+= 4
            }
            if position < length {
                let group = Int(bytes[start]) &<< 16 | (start + 1 < bytes.count ? Int(bytes[start + 1]) &<< 8 : 0)
                for (index, shift) in [18, 12, 6].prefix(length - position).enumerated() {
                    unsafe output[position + index] = table[group &>> shift & 63]
                }
            }
            count += length
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
