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

    /// A language of ours and its weight; nil for any other language, and for one that is not wanted.
    private static func range(_ text: Substring) -> (language: AcceptedLanguage, weight: Int)? {
        let range = WeightedRange(text)
        let language = AcceptedLanguage(rawValue: String(range.name.prefix { $0 != "-" }))
        return range.weight > 0 ? language.map { ($0, range.weight) } : nil
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
