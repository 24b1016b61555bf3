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

    /// Those that an operator has put in the place of the built-in ones, which are read when they are needed.
    private var own: [Key: Texts] = [:]

    /// The built-in texts.
    package static let builtIn = MailTemplates()

    private init() {}

    package static func == (one: MailTemplates, other: MailTemplates) -> Bool {
        Set(one.own.keys).union(other.own.keys).allSatisfy { one[$0.kind, $0.language] == other[$0.kind, $0.language] }
    }

    private static func builtIn(_ key: Key) -> Texts {
        do throws(Problem) {
            var texts: Texts?
            for form in Name.Form.allCases {
                let name = Name(kind: key.kind, language: key.language, form: form)
                texts = try taking(builtInText(name), as: name, beside: texts)
            }
            if let texts { return texts }
        } catch {
            preconditionFailure("a built-in text: \(error)")
        }
        preconditionFailure("every mail has a text")
    }

    /// The built-in texts with others in the place of some. Whoever brings a text without its HTML form gets a mail without one: what
    /// people see is what was written.
    /// - Throws: all that is wrong, never none.
    package init(replacing files: [Name: String]) throws(Problems) {
        var problems: [Problem] = []
        for name in Name.all {
            guard let text = files[name] else { continue }
            let key = Key(kind: name.kind, language: name.language)
            var texts = self[name.kind, name.language]
            let htmlName = Name(kind: name.kind, language: name.language, form: .html)
            if name.form == .text, files[htmlName] == nil { texts.html = nil }
            do throws(Problem) {
                own[key] = try Self.taking(text, as: name, beside: texts)
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
        let key = Key(kind: kind, language: language)
        return own[key] ?? Self.builtIn(key)
    }

    /// What a mail consists of with one text more, or another.
    private static func taking(_ content: String, as name: Name, beside texts: Texts?) throws(Problem) -> Texts? {
        switch name.form {
        case .text:
            let (subject, body) = try divided(content, name)
            let taken = Texts(
                subject: try template(subject, name, except: [.link, .code]), text: try template(body, name), html: texts?.html)
            try requireNeeded(taken.text, name)
            return taken
        case .html:
            guard content.contains(where: { !$0.isWhitespace }) else { throw Problem(name: name, reason: .isEmpty) }
            let html = try template(content, name)
            try requireNeeded(html, name)
            var taken = texts
            taken?.html = html
            return taken
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
