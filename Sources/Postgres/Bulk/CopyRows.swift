package import Text

/// Rows in the binary format of COPY, one after another: nothing of them is escaped here or parsed there.
package struct CopyRows: Sendable {
    /// The signature, no flags, no further header.
    private static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// In the place of a number of fields.
    static let trailer: [UInt8] = [0xFF, 0xFF]
    /// The type `text`.
    private static let textType: Int32 = 25

    private(set) var bytes = CopyRows.header
    /// Where the row begins that is being written, with the number of its fields.
    private var rowStart = CopyRows.header.count
    private var fieldCount: Int16 = 0

    package init() {}

    package var isEmpty: Bool { bytes.count == Self.header.count }

    package mutating func null() {
        begin()
        append(Int32(-1))
    }

    /// Text without NUL, which PostgreSQL cannot store.
    package mutating func text(_ text: String) {
        begin()
        append(text)
    }

    package mutating func text(orNull text: String?) {
        if let text { self.text(text) } else { null() }
    }

    /// A `jsonb`: a version, then the text.
    package mutating func json(_ text: [UInt8]) {
        begin()
        append(Int32(truncatingIfNeeded: text.count + 1))
        bytes.append(1)
        bytes.append(contentsOf: text)
    }

    package mutating func uuid(_ value: UUID) {
        begin()
        append(Int32(16))
        bytes.append(contentsOf: value.bytes)
    }

    /// A `bigint`.
    package mutating func integer(_ value: Int64) {
        begin()
        append(Int32(8))
        append(value)
    }

    package mutating func integer(orNull value: Int64?) {
        if let value { integer(value) } else { null() }
    }

    /// A `timestamptz`.
    package mutating func instant(orNull value: Timestamp?) {
        guard let value else { return null() }
        integer((value.milliseconds - PostgresEpoch.milliseconds) * 1000)
    }

    package mutating func bool(_ value: Bool) {
        begin()
        append(Int32(1))
        bytes.append(value ? 1 : 0)
    }

    package mutating func bool(orNull value: Bool?) {
        if let value { bool(value) } else { null() }
    }

    /// A `text[]`: dimensions, no nulls, the type; of the one dimension its size and first index; the elements.
    package mutating func textArray(_ elements: [String]) {
        begin()
        let start = bytes.count
        append(Int32(0))
        append(Int32(elements.isEmpty ? 0 : 1))
        append(Int32(0))
        append(Self.textType)
        if !elements.isEmpty {
            append(Int32(truncatingIfNeeded: elements.count))
            append(Int32(1))
            for element in elements { append(element) }
        }
        write(Int32(truncatingIfNeeded: bytes.count - start - 4), at: start)
    }

    package mutating func endRow() {
        write(fieldCount, at: rowStart)
        rowStart = bytes.count
        fieldCount = 0
    }

    private mutating func begin() {
        if fieldCount == 0 { append(Int16(0)) }
        fieldCount += 1
    }

    private mutating func append(_ text: String) {
        append(Int32(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    private mutating func write(_ value: some FixedWidthInteger, at index: Int) {
        let count = value.bitWidth / 8
        for offset in 0..<count { bytes[index + offset] = UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - offset))) }
    }
}
