extension String {
    /// Combining marks in a row that text may have (Unicode Standard Annex #15, Stream-Safe Text Format). No language comes near.
    package static var mostMarksInARow: Int { 30 }

    /// Whether comparing and normalizing it takes time in proportion to its length. Both sort each run of combining marks, which for one
    /// long run takes time that grows with its square: seconds for 60 KB.
    package var isStreamSafe: Bool {
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isMark ? run + 1 : 0
            guard run <= Self.mostMarksInARow else { return false }
        }
        return true
    }
}

extension Unicode.Scalar {
    /// Whether it is sorted among its neighbours, by itself or once it has been decomposed.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch value {
        // Starters that decompose to others.
        case 0xF73, 0xF75, 0xF81: return true
        default: return properties.canonicalCombiningClass != .notReordered
        }
    }
}
