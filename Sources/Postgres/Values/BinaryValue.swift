import Text

/// Reads values in PostgreSQL's binary form: big-endian numbers, raw text. Nil for bytes that do not fit the type.
enum BinaryValue {
    static func text(_ bytes: borrowing RawSpan) -> String? {
        unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }

    /// One byte of version, 1, then the text.
    static func jsonb(_ bytes: borrowing RawSpan) -> String? {
        guard bits(bytes, at: 0, as: UInt8.self) == 1 else { return nil }
        return text(bytes.extracting(droppingFirst: 1))
    }

    static func uuid(_ bytes: borrowing RawSpan) -> String? {
        UUID(bytes: self.bytes(bytes))?.description
    }

    static func bytes(_ bytes: borrowing RawSpan) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// A number that is the whole value.
    static func bits<Bits: FixedWidthInteger & BitwiseCopyable>(_ bytes: borrowing RawSpan, as type: Bits.Type) -> Bits? {
        bytes.byteCount == Bits.bitWidth / 8 ? bits(bytes, at: 0, as: type) : nil
    }

    static func integer<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: borrowing RawSpan, as type: Bits.Type
    ) -> Int64? {
        bits(bytes, as: type).map { Int64($0) }
    }

    /// Microseconds since 2000-01-01; nil for `infinity` and what does not fit, which no clock shows.
    static func timestamp(_ bytes: borrowing RawSpan) -> Int64? {
        guard let microseconds = bits(bytes, as: Int64.self), microseconds != .max, microseconds != .min else { return nil }
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
        return (remainder < 0 ? quotient - 1 : quotient) + PostgresEpoch.milliseconds
    }

    /// Dimensions, whether there are NULLs, the elements' type; size and first index of each dimension; then each element
    /// after its length.
    static func array(_ bytes: borrowing RawSpan, of element: (borrowing RawSpan) -> String?) -> [String]? {
        guard let dimensions = bits(bytes, at: 0, as: Int32.self) else { return nil }
        guard dimensions == 1, let count = bits(bytes, at: 12, as: Int32.self) else { return dimensions == 0 ? [] : nil }
        var elements: [String] = []
        var offset = 20
        for _ in 0..<max(0, count) {
            guard let length = bits(bytes, at: offset, as: Int32.self), length >= 0 else { return nil }
            let end = offset + 4 + Int(length)
            guard end <= bytes.byteCount, let text = element(bytes.extracting(offset + 4..<end)) else { return nil }
            elements.append(text)
            offset = end
        }
        return elements
    }

    private static func bits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: borrowing RawSpan, at offset: Int, as type: Bits.Type
    ) -> Bits? {
        guard offset + Bits.bitWidth / 8 <= bytes.byteCount else { return nil }
        return Bits(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// PostgreSQL counts its timestamps, in microseconds, from 2000-01-01T00:00:00Z.
enum PostgresEpoch {
    static let milliseconds: Int64 = 946_684_800_000
}
