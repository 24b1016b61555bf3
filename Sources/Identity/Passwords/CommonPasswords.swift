/// The passwords of eight and more characters that everybody tries first (NIST SP 800-63B asks for such a list).
///
/// The list is one literal that is searched in place: it costs its own 45 KB of the program and no memory beside.
package enum CommonPasswords {
    /// Whether the text, in whatever letter case, is on the list.
    package static func contain(_ text: String) -> Bool {
        let sought = Array(text.lowercased().utf8)
        let bytes = list.utf8.span
        var low = 0
        var high = bytes.count
        while low < high {
            let middle = (low + high) / 2
            var start = middle
            while start > low, !isSeparator(bytes[start - 1]) { start -= 1 }
            var end = middle
            while end < high, !isSeparator(bytes[end]) { end += 1 }
            switch compare(bytes, start..<end, with: sought) {
            case 0: return !sought.isEmpty
            case ..<0: low = min(end + 1, high)
            default: high = start
            }
        }
        return false
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
    }

    /// Negative if the entry comes before the word that is sought, positive if after.
    private static func compare(_ bytes: Span<UInt8>, _ entry: Range<Int>, with sought: [UInt8]) -> Int {
        for (offset, index) in entry.enumerated() {
            guard offset < sought.count else { return 1 }
            let difference = Int(bytes[index]) - Int(sought[offset])
            if difference != 0 { return difference }
        }
        return entry.count - sought.count
    }
}
