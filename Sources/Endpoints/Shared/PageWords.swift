import HTTP
import Identity

/// The texts of the pages behind the links in mails, in the language of a request.
struct PageWords: Sendable {
    let language: AcceptedLanguage
    let look: PageLook
    /// Where people sign in, who have nothing left to do here; nil where they cannot.
    let signInPage: String?

    init(_ language: AcceptedLanguage, _ look: PageLook, signInPage: String? = nil) {
        self.language = language
        self.look = look
        self.signInPage = signInPage
    }

    init(_ head: RequestHead?, _ look: PageLook, signInPage: String? = nil) {
        self.init(AcceptedLanguage(head), look, signInPage: signInPage)
    }

    subscript(_ text: PageText) -> String {
        look.ofService(look.texts[language.rawValue]?[text.name] ?? text.text(in: language))
    }

    /// A text with its placeholders filled in.
    subscript(_ text: PageText, _ values: (name: String, value: String)...) -> String {
        self[text].filling(values.map { (name: "{\($0.name)}", value: $0.value) })
    }

    /// What is wrong with a password.
    func problem(_ reason: InputProblem.Reason) -> String {
        switch reason {
        case .missing: self[.passwordMissing]
        case .tooShort(let minimum): self[.tooShort, ("minimum", String(minimum))]
        case .tooLong(let maximum): self[.tooLong, ("maximum", String(maximum))]
        case .commonPassword, .entirelyNumeric, .resembles: self[.common]
        case .passwordEqualsEmail: self[.equalsEmail]
        case .malformed, .forbiddenCharacter: self[.notAllowed]
        }
    }
}
