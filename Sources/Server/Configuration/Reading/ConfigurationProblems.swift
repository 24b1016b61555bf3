/// Everything that is wrong with a configuration, at once.
package struct ConfigurationProblems: Error, Equatable, Sendable, CustomStringConvertible {
    /// Never empty.
    package let problems: [ConfigurationProblem]

    /// One line for each problem.
    package var description: String {
        problems.map { "  \($0)\n" }.joined()
    }
}

/// One thing that is wrong with a configuration. It carries no value that was given, because it may be a secret.
package struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// There is no such setting.
        case unknown(nearest: String)
        case missing
        /// The value is given and a file with the value too.
        case givenTwice
        /// Of the form "is not a duration".
        case refused(String)
    }

    /// The variable that is wrong.
    package let name: String
    package let reason: Reason
    /// What would be right.
    package let expectation: String?
    /// Where in the file of settings it is, from 1; nil for what is elsewhere.
    package let line: Int?

    init(_ name: String, _ reason: Reason, expected expectation: String? = nil, line: Int? = nil) {
        self.line = line
        self.name = name
        self.reason = reason
        self.expectation = expectation
    }

    package var description: String {
        let expected = expectation.map { "; expected \($0)" } ?? ""
        let place = line.map { " (line \($0) of the settings file)" } ?? ""
        return "\(name.excerpt)\(place) \(verdict)\(expected)"
    }

    private var verdict: String {
        switch reason {
        case .unknown(let nearest): "is not a setting; the nearest is \(nearest)"
        case .missing: "is missing"
        case .givenTwice: "and \(name)_FILE are both given"
        case .refused(let reason): reason
        }
    }
}

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
