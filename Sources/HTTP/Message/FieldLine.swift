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
