/// One of the ranges of an `Accept…` field: a name, and how much it is wanted (RFC 9110 §12.4.2).
struct WeightedRange {
    /// In lower case, without parameters.
    let name: String
    /// In thousandths; 0 for what is not wanted.
    let weight: Int

    init(_ text: Substring) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        name = parts.first ?? ""
        weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Self.thousandths($0.dropFirst(2)) } ?? 1000
    }

    /// Of `0.123`, `1` or `1.0`, one at most; zero for what is no weight. Digits beyond the third say nothing. Not by way of a floating-point number,
    /// which may be none.
    private static func thousandths(_ text: Substring) -> Int {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let whole = parts.first, !whole.isEmpty, parts.allSatisfy({ $0.allSatisfy(digits.contains) }) else { return 0 }
        guard whole.allSatisfy({ $0 == digits.lowerBound }) else { return 1000 }
        let fraction = parts.dropFirst().first.map { Array($0.prefix(3)) } ?? []
        let zeros = [UInt8](repeating: digits.lowerBound, count: 3)
        return (fraction + zeros).prefix(3).reduce(0) { 10 * $0 + Int($1 - digits.lowerBound) }
    }
}
