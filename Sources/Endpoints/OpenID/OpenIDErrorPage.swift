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

    static func render(_ problem: Problem, _ request: Request) -> Response {
        let words = PageWords(request.head)
        switch problem {
        case .refused(let refusal):
            var page = Page(title: words[.failedTitle], language: words.language)
            page.alert(words[.badRequest])
            page.paragraph("\(refusal.code.rawValue): \(refusal.description)")
            return page.response(.badRequest)
        case .identity(let error): return PageFailure.identity(error).response(words)
        }
    }
}
