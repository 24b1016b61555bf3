/// Finds duplicate member names: by comparison while there are few, by a set from then on, so that a million stay cheap.
struct JSONMemberNames {
    private var known: Set<Name> = []

    private static let comparisonLimit = 12

    /// False if the name is among those of `earlier`, which are all that were inserted before.
    mutating func insert(_ name: String, after earlier: [JSONObject.Member]) -> Bool {
        if earlier.count < Self.comparisonLimit {
            return !earlier.contains { $0.key.hasSameBytes(as: name) }
        }
        if known.isEmpty {
            known = Set(earlier.map { Name(text: $0.key) })
        }
        return known.insert(Name(text: name)).inserted
    }

    /// Hashed and compared by bytes; normalising text for Swift's own `String` equality is wrong here, and slow on hostile text.
    private struct Name: Hashable {
        let text: String

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }

        static func == (left: Name, right: Name) -> Bool {
            left.text.hasSameBytes(as: right.text)
        }
    }
}
