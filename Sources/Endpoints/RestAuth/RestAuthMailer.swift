import HTTP
import Identity
import Text

/// Asks for mails in this door's words: with links as the team's site has them, in the language of the request.
struct RestAuthMailer: Sendable {
    private let door: RestAuthServices

    init(_ services: Services) {
        door = services.restAuth
    }

    func requestReset(_ email: String, _ request: Request, _ words: RestAuthWords) async throws(RestAuthError) {
        let options = door.options
        try await restAuth { () throws(IdentityError) in
            try await door.confirmations.requestPasswordReset(
                email: email, language: words.mailLanguage,
                link: { profile, code in
                    Self.link(
                        options.resetLink, [("{uid}", RestAuthUID.text(profile.number, options)), ("{token}", code.revealedText)])
                }, caller: Caller(request))
        }
    }

    func requestVerification(_ email: String, _ request: Request, _ words: RestAuthWords) async throws(RestAuthError) {
        try await restAuth { () throws(IdentityError) in
            try await door.confirmations.requestVerification(
                email: email, language: words.mailLanguage, link: verificationLink, caller: Caller(request))
        }
    }

    func requestVerification(of user: User, _ request: Request, _ words: RestAuthWords) async throws(RestAuthError) {
        try await restAuth { () throws(IdentityError) in
            try await door.confirmations.requestVerification(
                of: user, language: words.mailLanguage, link: verificationLink, caller: Caller(request))
        }
    }

    private var verificationLink: Confirmations.Link {
        let template = door.options.verificationLink
        return { _, code in Self.link(template, [("{key}", code.revealedText)]) }
    }

    /// The template with what stands in braces filled in; neither uid nor code has a character that a URL would escape.
    private static func link(_ template: String, _ values: [(name: String, value: String)]) -> SecretString {
        var text = Substring(template)
        var link = ""
        while let brace = text.firstIndex(of: "{") {
            link += text[..<brace]
            text = text[brace...]
            guard let (name, value) = values.first(where: { text.hasPrefix($0.name) }) else {
                link.append(text.removeFirst())
                continue
            }
            link += value
            text = text.dropFirst(name.count)
        }
        return SecretString(link + text)
    }
}

extension RestAuthWords {
    fileprivate var mailLanguage: Mail.Language {
        switch language {
        case .english: .english
        case .japanese: .japanese
        }
    }
}
