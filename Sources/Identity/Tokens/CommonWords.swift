import Text

/// Scopes and methods that nearly every access token has are one byte each in its record: one below 0x20, which no text has that is as JSON
/// has it.
enum CommonWords {
    /// A record says which by its place here: places are never used for another word.
    private static let words: [[UInt8]] = [
        "openid", "profile", "email", "offline_access", "account", "phone", "address", "\"pwd\"", "\"fed\"", "\"otp\"", "\"hwk\"",
        "\"swk\"", "\"mfa\"",
    ].map { Array($0.utf8) }

    /// How many bytes the longest has.
    static let longest = words.map(\.count).max() ?? 1

    /// Words between separators, the common ones in short.
    static func shorten(_ text: Span<UInt8>, separator: UInt8) -> [UInt8] {
        [UInt8](capacity: text.count) { output in
            var start = 0
            while true {
                var end = start
                while end < text.count, text[end] != separator { end += 1 }
                let word = text.extracting(start..<end)
                if let place = place(of: word) { output.append(UInt8(place + 1)) } else { output.append(word) }
                guard end < text.count else { break }
                output.append(separator)
                start = end + 1
            }
        }
    }

    private static func place(of word: Span<UInt8>) -> Int? {
        words.firstIndex { known in known.count == word.count && word.indices.allSatisfy { word[$0] == known[$0] } }
    }

    /// The word that a byte stands for; nil for one that stands for itself.
    static func word(_ byte: UInt8) -> [UInt8]? {
        byte > 0 && Int(byte) <= words.count ? words[Int(byte) - 1] : nil
    }
}

extension OutputSpan<UInt8> {
    /// Appends words that `CommonWords` has shortened, in full: at most `CommonWords.longest` bytes for each.
    mutating func append(words text: Span<UInt8>) {
        for index in text.indices {
            if text[index] < 0x20, let word = CommonWords.word(text[index]) {
                append(word)
            } else {
                append(text[index])
            }
        }
    }
}

extension [UInt8] {
    /// Appends words that `CommonWords` has shortened, in full.
    mutating func append(words text: ArraySlice<UInt8>) {
        append(addingCapacity: CommonWords.longest * text.count) { $0.append(words: text.span) }
    }
}
