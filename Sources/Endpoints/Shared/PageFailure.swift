import HTTP
import Identity
import Routing

/// Why a page shows no form.
enum PageFailure: Error {
    /// The code is none, or no longer one.
    case codeIsVoid
    case identity(IdentityError)
    case request(RequestFailure)

    func response(_ words: PageWords) -> Response {
        switch self {
        case .codeIsVoid, .identity(.invalidCode), .identity(.userNotFound): page(.notFound, .linkIsVoid, words)
        case .identity(.emailTaken): page(.conflict, .addressTaken, words)
        case .identity(.tooManyRequests(let delay)): later(.tooManyRequests, .tooManyRequests, delay, words)
        case .identity(.unavailable(let delay)), .identity(.overloaded(let delay)): unavailable(delay, words)
        case .identity(.invalidInput), .identity(.invalidCredentials), .identity(.usernameTaken),
            .identity(.emailNotVerified), .identity(.invalidClient), .identity(.clientNotPermitted), .identity(.invalidToken),
            .identity(.invalidRefreshToken), .identity(.sessionNotFound), .identity(.invalidProof), .identity(.unknownProvider),
            .identity(.emailNeedsLinking), .identity(.identityTaken), .identity(.lastSignInMethod),
            .identity(.recentSignInRequired), .identity(.identityNotFound), .identity(.userDisabled), .identity(.internalFault):
            page(.internalServerError, .failed, words)
        case .request(.unavailable(let delay)): unavailable(delay, words)
        case .request(.notFound): page(.notFound, .notFound, words)
        case .request(.internalError): page(.internalServerError, .failed, words)
        case .request(let failure): page(failure.status, .badRequest, words)
        }
    }

    private func unavailable(_ delay: Duration, _ words: PageWords) -> Response {
        later(.serviceUnavailable, .unavailable, delay, words)
    }

    private func later(_ status: Status, _ text: PageText, _ delay: Duration, _ words: PageWords) -> Response {
        page(status, text, words, ["Retry-After": String(delay.retrySeconds)])
    }

    private func page(_ status: Status, _ text: PageText, _ words: PageWords, _ fields: ResponseFields = [:]) -> Response {
        var page = Page(title: words[.failedTitle], language: words.language, look: words.look)
        page.alert(words[text])
        return page.response(status, fields: fields)
    }

    static let documentation = RouteGroupDocumentation(
        "The pages behind the links in mails, in English and Japanese.", failure: .string, failureType: "text/html")

    static let limitedDocumented = DocumentedResponse.text(
        .tooManyRequests, "A page that says to come again later.", type: "text/html")

    static let codeIsVoidDocumented = DocumentedResponse.text(
        .notFound, "A page that says that the link is no longer good.", type: "text/html")
}

/// Runs a rule; its error becomes the page's.
func showing<T>(_ rule: () async throws(IdentityError) -> T) async throws(PageFailure) -> T {
    do throws(IdentityError) {
        return try await rule()
    } catch {
        throw .identity(error)
    }
}
