import HTTP
import Identity
import Routing
import Text

/// What the user is shown where nobody may be redirected.
enum OpenIDErrorPage {
    enum Problem: Sendable {
        case refused(AuthorizationRefusal)
        case identity(IdentityError)
    }

    static func render(_ problem: Problem, _ request: Request, _ look: PageLook) -> Response {
        let words = SignInWords(language: AcceptedLanguage(request.head), look: look)
        switch problem {
        case .refused(let refusal):
            var page = Page(title: words[.requestRefused], language: words.language, look: look, hidesAddress: false)
            page.alert(words[.requestRefusedText])
            // For the developer; it is of our own constants, but for names of parameters and scopes.
            page.append("<p class=\"soft\" lang=\"en\">\(refusal.code.rawValue): \(refusal.description)</p>")
            return page.response(.badRequest)
        case .identity(let error): return SignInPages.Failure.identity(error).response(words, base: "")
        }
    }
}
