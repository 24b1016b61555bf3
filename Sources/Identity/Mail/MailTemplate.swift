/// What may stand in braces in the text of a mail.
package enum MailPlaceholder: String, Sendable, CaseIterable {
    /// Where the user goes on.
    case link
    /// The address that the mail goes to.
    case email
    /// What the service is called (`MailSender.product`).
    case product
    /// For how long the link is good, such as `1 hour`.
    case lifetime
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

    private let pieces: [Piece]

    /// - Parameter allowed: what there is to fill in.
    init(_ text: String, allowing allowed: Set<MailPlaceholder>) throws(UnknownPlaceholder) {
        var pieces: [Piece] = []
        var rest = text[...]
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
        self.pieces = pieces + [.text(String(rest))]
    }

    func has(_ placeholder: MailPlaceholder) -> Bool {
        pieces.contains(.placeholder(placeholder))
    }

    /// - Parameter write: how a value is written in this kind of text.
    func filled(_ values: [MailPlaceholder: String], _ write: (String) -> String = { $0 }) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .placeholder(let placeholder): write(values[placeholder] ?? "")
            }
        }.joined()
    }
}
