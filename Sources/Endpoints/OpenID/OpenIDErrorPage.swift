import HTTP
import Identity
import Text

/// What the user is shown where nobody may be redirected.
enum OpenIDErrorPage {
    enum Problem: Sendable {
        case refused(AuthorizationRefusal)
        case identity(IdentityError)
    }

    static func render(_ problem: Problem, _ request: Request, look: PageLook) -> Response {
        let words = SignInWords(language: AcceptedLanguage(request.head), look: look)
        switch problem {
        case .refused(let refusal):
            var page = Page(title: words[.requestRefused], language: words.language, look: look)
            page.alert(words[.requestRefusedText])
            // For the developer.
            page.paragraph("\(refusal.code.rawValue): \(refusal.description)")
            return page.response(.badRequest)
        case .identity(.service(.tooManyRequests(let delay))): return later(.tooManyRequests, .tooMany, delay, words)
        case .identity(.service(.unavailable(let delay))), .identity(.service(.overloaded(let delay))):
            return later(.serviceUnavailable, .unavailable, delay, words)
        case .identity: return page(.internalServerError, .broken, words)
        }
    }

    private static func later(_ status: Status, _ text: SignInText, _ delay: Duration, _ words: SignInWords) -> Response {
        page(status, text, words, fields: ["Retry-After": String(delay.retrySeconds)])
    }

    private static func page(
        _ status: Status, _ text: SignInText, _ words: SignInWords, fields: ResponseFields = [:]
    ) -> Response {
        var page = Page(title: words[.failed], language: words.language, look: words.look)
        page.alert(words[text])
        return page.response(status, fields: fields)
    }
}
