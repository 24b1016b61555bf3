/// Scopes and methods that nearly every access token has are one byte each in its record: one below 0x20, which no text has that is as JSON
/// has it.
enum CommonWords {
    /// A record says which by its place here: places are never used for another word.
    private static let words: [[UInt8]] = [
        "openid", "profile", "email", "offline_access", "account", "phone", "address", "\"pwd\"", "\"fed\"", "\"otp\"", "\"hwk\"",
        "\"swk\"", "\"mfa\"",
    ].map { Array($0.utf8) }

    /// Words between separators, the common ones in short.
    static func shorten(_ text: some Collection<UInt8>, separator: UInt8) -> [UInt8] {
        let pieces = text.split(separator: separator, omittingEmptySubsequences: false).map { word -> [UInt8] in
            words.firstIndex { $0.elementsEqual(word) }.map { [UInt8($0 + 1)] } ?? Array(word)
        }
        return Array(pieces.joined(separator: [separator]))
    }

    /// The word that a byte stands for; nil for one that stands for itself.
    static func word(_ byte: UInt8) -> [UInt8]? {
        byte > 0 && Int(byte) <= words.count ? words[Int(byte) - 1] : nil
    }
}

extension [UInt8] {
    /// Appends words that `CommonWords` has shortened, in full.
    mutating func append(words text: ArraySlice<UInt8>) {
        for byte in text {
            if byte < 0x20, let word = CommonWords.word(byte) {
                append(contentsOf: word)
            } else {
                append(byte)
            }
        }
    }
}
