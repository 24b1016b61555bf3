/// Who has made the mark that a proof is used: one request of all. Only the maker may take the mark away, and only as long as nobody else has been let in by
/// the same proof.
package struct ReplayMark: Equatable, Sendable {
    package static let randomByteCount = 8

    /// In decimal digits.
    let text: String

    /// `random` must be `randomByteCount` bytes.
    package init(random: [UInt8]) {
        precondition(random.count == Self.randomByteCount, "a mark is 8 bytes")
        text = String(random.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
