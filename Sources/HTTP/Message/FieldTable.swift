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
