/// Writes values one behind the other: numbers big-endian in as many bytes as are given, texts and blocks behind their length. For records in
/// Redis, of which there are millions.
struct PackedWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// What does not fit is cut at its greatest value.
    mutating func number(_ value: some BinaryInteger, _ size: Int) {
        let greatest = size == 8 ? UInt64.max : UInt64(1) << (8 * UInt64(size)) - 1
        let clamped = min(UInt64(clamping: value), greatest)
        for shift in stride(from: 8 * (size - 1), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: clamped >> UInt64(shift)))
        }
    }

    mutating func raw(_ block: some Collection<UInt8>) {
        bytes.append(contentsOf: block)
    }

    /// A block behind its length. Nothing is written that could not be read again: what is too long for the length is left out.
    mutating func block(_ block: some Collection<UInt8>, lengthSize: Int) {
        let fits = block.count < 1 << (8 * lengthSize)
        number(fits ? block.count : 0, lengthSize)
        if fits { raw(block) }
    }

    mutating func text(_ text: String, lengthSize: Int) {
        block(text.utf8, lengthSize: lengthSize)
    }

    /// A number in seven bits a byte, the highest first; each byte but the last has its highest bit set.
    mutating func compact(_ value: UInt32) {
        for shift in stride(from: UInt32(28), to: 0, by: -7) where value >> shift != 0 {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift) | 0x80)
        }
        bytes.append(UInt8(value & 0x7f))
    }

    /// A block behind its length.
    mutating func compact(_ block: some Collection<UInt8>) {
        compact(UInt32(block.count))
        raw(block)
    }
}

/// Reads what `PackedWriter` has written. Where the bytes end too early everything is zero or empty, and `isIntact` is false.
struct PackedReader {
    private let bytes: [UInt8]
    private(set) var position: Int
    private(set) var isIntact = true

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number(_ size: Int) -> UInt64 {
        raw(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func raw(_ count: Int) -> ArraySlice<UInt8> {
        guard isIntact, count <= bytes.count - position else {
            isIntact = false
            return []
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func block(lengthSize: Int) -> ArraySlice<UInt8> {
        raw(Int(number(lengthSize)))
    }

    mutating func text(lengthSize: Int) -> String {
        String(decoding: block(lengthSize: lengthSize), as: UTF8.self)
    }
}
