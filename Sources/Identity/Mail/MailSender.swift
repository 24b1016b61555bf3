/// Whom mail comes from: an address, and the name that users know the service by.
package struct MailSender: Equatable, Sendable {
    /// In characters.
    package static let longestName = 100

    /// Empty for none.
    package let name: String
    package let address: EmailAddress

    package init(name: String, address: EmailAddress) {
        self.name = name
        self.address = address
    }

    /// Reads `Name <address>`, or an address alone. Nil for anything else, and for a name with line ends or other invisible characters.
    package init?(_ text: String) {
        guard text.first != " " else { return nil }
        guard text.hasSuffix(">") else {
            guard let address = try? EmailAddress(text) else { return nil }
            self.init(name: "", address: address)
            return
        }
        guard let bracket = text.lastIndex(of: "<") else { return nil }
        guard let address = try? EmailAddress(String(text[text.index(after: bracket)...].dropLast())) else { return nil }
        let name = text[..<bracket].drop { $0 == " " }
        let end = name.lastIndex { $0 != " " }.map { name.index(after: $0) } ?? name.startIndex
        let trimmed = String(name[..<end])
        guard trimmed.count <= Self.longestName, !trimmed.unicodeScalars.contains(where: Self.isInvisible) else { return nil }
        // Quotes around all of it are what mail programs write, and no part of the name.
        let isQuoted = trimmed.count >= 2 && trimmed.first == "\"" && trimmed.last == "\""
        let bare = isQuoted ? String(trimmed.dropFirst().dropLast()) : trimmed
        guard !bare.contains(where: { "<>\"\\".contains($0) }) else { return nil }
        self.init(name: bare, address: address)
    }

    /// The part of the address after the `@`.
    package var domain: String {
        String(address.normalized.drop { $0 != "@" }.dropFirst())
    }

    /// What mails call the service: the name, or else the domain.
    package var product: String {
        name.isEmpty ? domain : name
    }

    /// As it is written in a setting.
    package var text: String {
        name.isEmpty ? address.normalized : "\(name) <\(address.normalized)>"
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
