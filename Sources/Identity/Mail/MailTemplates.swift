/// The texts of all mails: the built-in ones, and what an operator has put in their place.
package struct MailTemplates: Equatable, Sendable {
    /// Which text a file replaces.
    package struct Name: Hashable, Sendable {
        /// What a mail consists of.
        package enum Form: String, Sendable, CaseIterable {
            /// With the subject in its first line.
            case text = "txt"
            case html
        }

        package let kind: Mail.Kind
        package let language: Mail.Language
        package let form: Form

        /// `password_reset.en.txt`, for example.
        package var fileName: String {
            "\(kind.rawValue).\(language.rawValue).\(form.rawValue)"
        }

        package static let all = Mail.Kind.allCases.flatMap { kind in
            Mail.Language.allCases.flatMap { language in
                Form.allCases.map { Name(kind: kind, language: language, form: $0) }
            }
        }
    }

    /// What is wrong with a text of an operator's.
    package struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
        package enum Reason: Equatable, Sendable {
            case noSubject
            case unknownPlaceholder(String)
            /// The link or the code, without which the mail is of no use.
            case lacks(MailPlaceholder)
            case isEmpty
        }

        package let name: Name
        package let reason: Reason

        /// To follow the name of the setting.
        package var description: String {
            switch reason {
            case .noSubject: "\(name.fileName) does not begin with a line `Subject: …`"
            case .unknownPlaceholder(let placeholder):
                "\(name.fileName) has {\(placeholder)} where it cannot be filled in; there are "
                    + name.kind.placeholders.map { "{\($0.rawValue)}" }.sorted().joined(separator: ", ")
            case .lacks(let placeholder): "\(name.fileName) does not have {\(placeholder.rawValue)} in it"
            case .isEmpty: "\(name.fileName) has no text"
            }
        }
    }

    /// Of one mail.
    struct Texts: Equatable, Sendable {
        var subject: MailTemplate
        var text: MailTemplate
        /// Nil for a mail that is text alone.
        var html: MailTemplate?
    }

    private struct Key: Hashable {
        let kind: Mail.Kind
        let language: Mail.Language
    }

    private var texts: [Key: Texts] = [:]

    /// The built-in texts.
    package static let builtIn = MailTemplates()

    private init() {
        for kind in Mail.Kind.allCases {
            for language in Mail.Language.allCases {
                do throws(Problem) {
                    for form in Name.Form.allCases {
                        let name = Name(kind: kind, language: language, form: form)
                        try take(Self.builtInText(name), as: name)
                    }
                } catch {
                    preconditionFailure("a built-in text: \(error)")
                }
            }
        }
    }

    /// The built-in texts with others in the place of some. Whoever brings a text without its HTML form gets a mail without one: what
    /// people see is what was written.
    /// - Throws: all that is wrong, never none.
    package init(replacing files: [Name: String]) throws(Problems) {
        self = .builtIn
        var problems: [Problem] = []
        for name in Name.all {
            guard let text = files[name] else { continue }
            let htmlName = Name(kind: name.kind, language: name.language, form: .html)
            if name.form == .text, files[htmlName] == nil { texts[Key(kind: name.kind, language: name.language)]?.html = nil }
            do throws(Problem) {
                try take(text, as: name)
            } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty else { throw Problems(problems: problems) }
    }

    package struct Problems: Error, Equatable, Sendable {
        package let problems: [Problem]
    }

    subscript(kind: Mail.Kind, language: Mail.Language) -> Texts {
        guard let texts = texts[Key(kind: kind, language: language)] else { preconditionFailure("every mail has a text") }
        return texts
    }

    private mutating func take(_ content: String, as name: Name) throws(Problem) {
        let key = Key(kind: name.kind, language: name.language)
        switch name.form {
        case .text:
            let (subject, body) = try Self.divided(content, name)
            let texts = Texts(
                subject: try Self.template(subject, name, except: [.link, .code]), text: try Self.template(body, name),
                html: self.texts[key]?.html)
            self.texts[key] = texts
            try Self.requireNeeded(texts.text, name)
        case .html:
            guard content.contains(where: { !$0.isWhitespace }) else { throw Problem(name: name, reason: .isEmpty) }
            let html = try Self.template(content, name)
            texts[key]?.html = html
            try Self.requireNeeded(html, name)
        }
    }

    private static func requireNeeded(_ template: MailTemplate, _ name: Name) throws(Problem) {
        if let needed = name.kind.needed, !template.has(needed) { throw Problem(name: name, reason: .lacks(needed)) }
    }

    /// The first line without `Subject:`, and what follows the blank lines after it.
    private static func divided(_ content: String, _ name: Name) throws(Problem) -> (subject: String, body: String) {
        let lines = content.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard let first = lines.first, first.lowercased().hasPrefix("subject:") else {
            throw Problem(name: name, reason: .noSubject)
        }
        let subject = first.dropFirst("subject:".count).drop { $0.isWhitespace }
        guard !subject.isEmpty else { throw Problem(name: name, reason: .noSubject) }
        let body = lines.dropFirst().drop { $0.allSatisfy(\.isWhitespace) }
        guard !body.isEmpty else { throw Problem(name: name, reason: .isEmpty) }
        return (String(subject), body.joined(separator: "\n"))
    }

    /// - Parameter secrets: what has no place in it: subjects are shown where nobody has opened a mail.
    private static func template(
        _ text: String, _ name: Name, except secrets: Set<MailPlaceholder> = []
    ) throws(Problem) -> MailTemplate {
        // An HTML form has its paragraphs on lines of their own.
        let separator = name.form == .html ? "\n" : "\n\n"
        do throws(MailTemplate.UnknownPlaceholder) {
            return try MailTemplate(
                text, paragraphs: separator, allowing: name.kind.placeholders.subtracting(secrets))
        } catch {
            throw Problem(name: name, reason: .unknownPlaceholder(error.name))
        }
    }
}

extension Mail.Kind {
    /// What there is to fill in.
    package var placeholders: Set<MailPlaceholder> {
        let link: Set<MailPlaceholder> =
            switch self {
            case .addressTaken, .changesUndone: []
            case .signInCode: [.code, .lifetime]
            case .passwordReset, .emailVerification, .signUpAttempted, .signInLink, .identityLinked, .identityUnlinked,
                .passwordChanged,
                .addressChangeRequested, .addressChanged, .addressConfirmation:
                [.link, .lifetime]
            }
        return link.union([.email, .product]).union(detailPlaceholder.map { [$0] } ?? [])
    }

    /// What `Mail.detail` is filled in for; nil where there is none.
    var detailPlaceholder: MailPlaceholder? {
        switch self {
        case .passwordReset, .emailVerification, .signUpAttempted, .signInLink, .signInCode, .addressConfirmation,
            .addressTaken, .changesUndone:
            nil
        case .identityLinked, .identityUnlinked: .provider
        case .passwordChanged: .identities
        case .addressChangeRequested, .addressChanged: .address
        }
    }

    /// What a text must have. That of a linked identity had no link once, and such texts are still taken.
    var needed: MailPlaceholder? {
        guard self != .identityLinked else { return nil }
        return [MailPlaceholder.link, .code].first { placeholders.contains($0) }
    }
}
