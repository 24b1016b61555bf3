/// What may stand in braces in the text of a mail.
package enum MailPlaceholder: String, Sendable, CaseIterable {
    /// Where the user goes on.
    case link
    /// What the user types.
    case code
    /// The address that the mail goes to.
    case email
    /// What the service is called (`MailSender.product`).
    case product
    /// For how long the link or the code is good, such as `1 hour`.
    case lifetime
    /// The provider whose account is or was a way in.
    case provider
    /// The providers whose accounts are ways in, with commas.
    case identities
    /// The other address that the mail is about.
    case address

    /// What makes a paragraph worth reading: without it the paragraph is left out.
    static let essential: Set<MailPlaceholder> = [.link, .code, .lifetime, .identities, .provider, .address]
}

/// A text with places to fill in: `{` and `}` around lower-case letters are such a place, and all other braces stand for themselves.
package struct MailTemplate: Equatable, Sendable {
    private enum Piece: Equatable, Sendable {
        case text(String)
        case placeholder(MailPlaceholder)
    }

    /// A place that cannot be filled in.
    struct UnknownPlaceholder: Error, Equatable {
        /// Without the braces.
        let name: String
    }

    /// Its paragraphs, and what stands between them.
    private let paragraphs: [[Piece]]
    private let separator: String

    /// - Parameters:
    ///   - separator: what ends a paragraph.
    ///   - allowed: what there is to fill in.
    init(
        _ text: String, paragraphs separator: String = "\n\n", allowing allowed: Set<MailPlaceholder>
    ) throws(UnknownPlaceholder) {
        self.separator = separator
        var paragraphs: [[Piece]] = []
        for paragraph in text.split(separator: separator, omittingEmptySubsequences: false) {
            paragraphs.append(try Self.pieces(paragraph, allowed))
        }
        self.paragraphs = paragraphs
    }

    private static func pieces(
        _ text: Substring, _ allowed: Set<MailPlaceholder>
    ) throws(UnknownPlaceholder) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text
        while let brace = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: brace)...]
            let name = inside.prefix { ("a"..."z").contains($0) }
            guard !name.isEmpty, inside[name.endIndex...].first == "}" else {
                pieces.append(.text(String(rest[...brace])))
                rest = inside
                continue
            }
            guard let placeholder = MailPlaceholder(rawValue: String(name)), allowed.contains(placeholder) else {
                throw UnknownPlaceholder(name: String(name))
            }
            pieces += [.text(String(rest[..<brace])), .placeholder(placeholder)]
            rest = inside[name.endIndex...].dropFirst()
        }
        return pieces + [.text(String(rest))]
    }

    func has(_ placeholder: MailPlaceholder) -> Bool {
        paragraphs.joined().contains(.placeholder(placeholder))
    }

    /// The text without the paragraphs that are about something that this mail does not have.
    /// - Parameter write: how a value is written in this kind of text.
    func filled(_ values: [MailPlaceholder: String], _ write: (String) -> String = { $0 }) -> String {
        let absent = MailPlaceholder.essential.filter { values[$0, default: ""].isEmpty }
        let kept = paragraphs.filter { paragraph in
            !paragraph.contains { piece in
                if case .placeholder(let placeholder) = piece { absent.contains(placeholder) } else { false }
            }
        }
        return kept.map { paragraph in
            paragraph.map { piece in
                switch piece {
                case .text(let text): text
                case .placeholder(let placeholder): write(values[placeholder] ?? "")
                }
            }.joined()
        }.joined(separator: separator)
    }
}
