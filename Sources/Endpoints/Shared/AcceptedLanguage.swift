import HTTP
import Identity

/// The language of an answer.
enum AcceptedLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case japanese = "ja"

    /// Longest `Accept-Language` that is looked at, in bytes.
    private static let maximumLength = 512

    /// The first of the client's languages that there are texts in (RFC 9110 §12.5.4), else English.
    init(_ head: RequestHead?) {
        guard let field = head?.values(named: "accept-language").first,
            field.utf8.count <= Self.maximumLength
        else {
            self = .english
            return
        }
        let ranges = field.split(separator: ",").compactMap { Self.range($0) }
        let best = ranges.enumerated().max { ($0.element.weight, -$0.offset) < ($1.element.weight, -$1.offset) }
        self = best?.element.language ?? .english
    }

    /// The first of the languages in `ui_locales` that there are texts in (OpenID Connect Core 1.0 §3.1.2.1); nil for none.
    init?(locales: String) {
        guard locales.utf8.count <= Self.maximumLength,
            let language = locales.split(separator: " ").lazy.compactMap({ tag in
                AcceptedLanguage(rawValue: tag.prefix { $0 != "-" }.lowercased())
            }).first
        else { return nil }
        self = language
    }

    /// A language of ours and its weight in thousandths; nil for any other language, and for one that is not wanted.
    private static func range(_ text: Substring) -> (language: AcceptedLanguage, weight: Int)? {
        let parts = text.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        guard let tag = parts.first, let language = AcceptedLanguage(rawValue: String(tag.prefix { $0 != "-" })) else {
            return nil
        }
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { $0.dropFirst(2) }
        let weight = quality.map { Self.weight($0) } ?? 1000
        return weight > 0 ? (language, weight) : nil
    }

    /// Thousandths of `0.123`, `1` or `1.0` (RFC 9110 §12.4.2), one at most; zero for what is no weight. Digits beyond the third say
    /// nothing. Not by way of a floating-point number, which may be none.
    static func weight(_ text: Substring) -> Int {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let whole = parts.first, !whole.isEmpty, parts.allSatisfy({ $0.allSatisfy(digits.contains) }) else { return 0 }
        guard whole.allSatisfy({ $0 == digits.lowerBound }) else { return 1000 }
        let fraction = parts.dropFirst().first.map { Array($0.prefix(3)) } ?? []
        let zeros = [UInt8](repeating: digits.lowerBound, count: 3)
        return (fraction + zeros).prefix(3).reduce(0) { 10 * $0 + Int($1 - digits.lowerBound) }
    }
}

extension AcceptedLanguage {
    /// That of mails to who asks in it.
    var ofMails: Mail.Language {
        switch self {
        case .english: .english
        case .japanese: .japanese
        }
    }
}
