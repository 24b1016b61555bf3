/// A range of the bytes of a head, half as large as `Range<Int>` because heads are kept and passed on with every request.
struct ByteRange: Sendable {
    private let start: UInt32
    private let end: UInt32

    init(_ range: Range<Int>) {
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    @inline(__always)
    var range: Range<Int> {
        Int(start)..<Int(end)
    }
}

/// Where one field line lies in the bytes of its head.
struct FieldLine: Sendable {
    let name: ByteRange
    /// Without the white space around it.
    let value: ByteRange

    init(name: Range<Int>, value: Range<Int>) {
        self.name = ByteRange(name)
        self.value = ByteRange(value)
    }
}
