import HTTP
import Identity
import Routing

/// Why a page shows no form.
enum PageFailure: APIFailure {
    /// The code is none, or no longer one.
    case codeIsVoid
    case identity(IdentityError)
    case request(RequestFailure)

    func response(_ words: PageWords) -> Response {
        switch self {
        case .codeIsVoid, .identity(.code), .identity(.user(.notFound)): page(.notFound, .linkIsVoid, words)
        case .identity(.user(.emailTaken)): page(.conflict, .addressTaken, words)
        case .identity(.service(let failure)): page(failure, words)
        case .identity: page(.internalFault, words)
        case .request(.unavailable(let delay)): page(.unavailable(retryAfter: delay), words)
        case .request(.notFound): page(.notFound, .notFound, words)
        case .request(.internalError): page(.internalFault, words)
        case .request(let failure): page(failure.status, .badRequest, words)
        }
    }

    private func page(_ failure: ServiceFailure, _ words: PageWords) -> Response {
        let text: PageText =
            switch failure {
            case .tooManyRequests: .tooManyRequests
            case .unavailable, .overloaded: .unavailable
            case .internalFault: .failed
            }
        return page(failure.status, text, words, failure.retryAfter.map { ["Retry-After": String($0.retrySeconds)] } ?? [:])
    }

    private func page(_ status: Status, _ text: PageText, _ words: PageWords, _ fields: ResponseFields = [:]) -> Response {
        var page = Page(title: words[.failedTitle], language: words.language, look: words.look)
        page.alert(words[text])
        if text == .linkIsVoid || text == .notFound { page.offerSignIn(words) }
        return page.response(status, fields: fields)
    }

    static let documentation = RouteGroupDocumentation(
        "The pages behind the links in mails, in English and Japanese.", failure: .string, failureType: "text/html")

    static let limitedDocumented = DocumentedResponse.text(
        .tooManyRequests, "A page that says to come again later.", type: "text/html")

    static let codeIsVoidDocumented = DocumentedResponse.text(
        .notFound, "A page that says that the link is no longer good.", type: "text/html")
}

extension Page {
    /// Where to go on, if there is such a page.
    mutating func offerSignIn(_ words: PageWords) {
        guard let url = words.signInPage else { return }
        link(url, words[.toSignIn])
    }
}
