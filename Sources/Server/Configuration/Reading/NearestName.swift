/// What somebody may have meant who made a slip of the pen.
enum NearestName {
    /// The candidate with the fewest changes to the name; of several the first.
    static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let name = significant(name)
        return candidates.map { (candidate: $0, distance: distance(name, significant($0))) }
            .min { $0.distance < $1.distance }?.candidate
    }

    /// The same, or nil if more than half of it would have to change.
    static func ofSimilar(_ name: String, among candidates: some Sequence<String>) -> String? {
        guard let nearest = of(name, among: candidates) else { return nil }
        let (left, right) = (significant(name), significant(nearest))
        return distance(left, right) * 2 <= max(left.count, right.count) ? nearest : nil
    }

    /// Without the prefix that all settings share and some forget, or give to those that have none. Long names are cut.
    private static func significant(_ name: String) -> [UInt8] {
        let name = name.hasPrefix(Settings.prefix) ? name.dropFirst(Settings.prefix.count) : name[...]
        return Array(name.utf8.prefix(100))
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
