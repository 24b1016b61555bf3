/// The field lines of a head in their order, with the places of the known ones.
@usableFromInline
package struct FieldTable: Sendable {
    @usableFromInline private(set) var lines: [FieldLine] = []
    /// By raw value of the known field.
    @usableFromInline private(set) var firstLine = [16 of UInt16](repeating: .max)
    @usableFromInline private(set) var repeated: UInt16 = 0

    mutating func append(_ line: FieldLine, as known: KnownField?) {
        if lines.isEmpty {
            lines.reserveCapacity(16)
        }
        if let known {
            let slot = Int(known.rawValue)
            if firstLine[slot] == .max {
                firstLine[slot] = UInt16(truncatingIfNeeded: lines.count)
            } else {
                repeated |= 1 &<< UInt16(known.rawValue)
            }
        }
        lines.append(line)
    }

    /// The value of the first line of a known field.
    @inlinable @inline(__always)
    package func value(of field: KnownField) -> Range<Int>? {
        let index = firstLine[Int(field.rawValue)]
        return index == .max ? nil : lines[Int(index)].value.range
    }

    @inlinable @inline(__always)
    package func isRepeated(_ field: KnownField) -> Bool {
        repeated & (1 &<< UInt16(field.rawValue)) != 0
    }
}

/// A range of the bytes of a head, half as large as `Range<Int>` because heads are kept and passed on with every request.
@usableFromInline
package struct ByteRange: Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let end: UInt32

    @inlinable
    package init(_ range: Range<Int>) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    @inlinable @inline(__always)
    package var range: Range<Int> {
        Int(start)..<Int(end)
    }
}

/// Where one field line lies in the bytes of its head.
@usableFromInline
package struct FieldLine: Sendable {
    @usableFromInline package let name: ByteRange
    /// Without the white space around it.
    @usableFromInline package let value: ByteRange

    @inlinable
    package init(name: Range<Int>, value: Range<Int>) {
        self.name = ByteRange(name)
        self.value = ByteRange(value)
    }
}
