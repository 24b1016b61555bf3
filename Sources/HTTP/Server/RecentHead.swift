/// The head of a request, and where it leads. A connection keeps its last one while its client is busy: backends and gateways often send the
/// same head again, and what has the same bytes need not be parsed again.
struct RecentHead {
    /// Bytes that one may take to be kept.
    private static let largest = 2048

    let head: RequestHead
    let match: RequestMatch

    var isKept: Bool { head.bytes.count + head.fieldCount * MemoryLayout<FieldLine>.stride <= Self.largest }

    /// Whether the input begins with the same head, and its end. How long that takes does not tell where they differ: a proxy's connection carries
    /// the secrets of several clients.
    func begins(_ input: Span<UInt8>) -> Bool {
        let count = head.bytes.count
        guard input.count >= count + 2, input[count] == .carriageReturn, input[count + 1] == .lineFeed else { return false }
        let (mine, theirs) = unsafe (head.bytes.span.bytes, input.bytes)
        var difference: UInt64 = 0
        var offset = 0
        while offset <= count - 8 {
            difference |=
                unsafe mine.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
                ^ theirs.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            difference |= UInt64(head.bytes[offset] ^ input[offset])
            offset += 1
        }
        return difference == 0
    }
}
