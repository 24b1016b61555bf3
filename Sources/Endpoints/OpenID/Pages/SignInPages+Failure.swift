import HTTP
import Identity
import Routing

extension SignInPages {
    /// Why a page does not do what it is for.
    enum Failure: APIFailure {
        case badRequest
        /// What the address says of where to go on is no page of ours.
        case badLink
        /// Nobody is signed in; where to go on when somebody is.
        case needsSignIn(Destination)
        /// The form is not of the session that the browser has now. Nothing was done, and the page behind it is as good as ever.
        case formIsOld
        /// The form may come from another site.
        case crossSite
        case notFound
        case identity(IdentityError)
        case request(RequestFailure)

        func response(_ words: SignInWords, base: String) -> Response {
            switch self {
            case .needsSignIn(let destination):
                .empty(
                    .seeOther, fields: ["Location": base + destination.location(via: "/sign-in"), "Cache-Control": "no-store"])
            case .formIsOld: page(.forbidden, .formIsOld, words, back: base + "/account")
            case .identity(.recentSignInRequired), .identity(.invalidToken):
                page(.forbidden, .confirmSignIn, words, back: base + "/sign-in", .toSignIn)
            case .badRequest: page(.badRequest, .badRequest, words, back: base + "/account", .account)
            case .badLink: page(.badRequest, .badLink, words, back: base + "/account", .account)
            case .crossSite: page(.forbidden, .crossSite, words, back: base + "/account", .account)
            case .notFound, .request(.notFound): page(.notFound, .notFound, words, back: base + "/account", .account)
            case .identity(.service(.tooManyRequests(let delay))): page(.tooManyRequests, .tooMany, words, after: delay)
            case .identity(.service(.unavailable(let delay))), .identity(.service(.overloaded(let delay))),
                .request(.unavailable(let delay)):
                page(.serviceUnavailable, .unavailable, words, after: delay)
            case .identity(.invalidClient): page(.badRequest, .requestRefusedText, words)
            case .identity, .request(.internalError): page(.internalServerError, .broken, words)
            case .request(let failure): page(failure.status, .badRequest, words)
            }
        }

        private func page(
            _ status: Status, _ text: SignInText, _ words: SignInWords, after delay: Duration? = nil, back: String? = nil,
            _ label: SignInText = .back
        ) -> Response {
            var page = Page(title: words[.failed], language: words.language, look: words.look, hidesAddress: false)
            page.alert(words[text])
            if let back { page.append("<a class=\"button\" href=\"\(back)\">\(words[label])</a>") }
            return page.response(status, fields: delay.map { ["Retry-After": String($0.retrySeconds)] } ?? [:])
        }
    }

    /// The documentation of a page, or of what its form does: every one can be limited, refused and unavailable alike.
    static func document(
        _ summary: String, details: String? = nil, parameters: [DocumentedParameter] = [], form: [Routing.Schema.Member]? = nil,
        _ responses: DocumentedResponse...
    ) -> RouteDocumentation {
        var all = responses
        all.append(.text(.badRequest, "A page that says what is wrong.", type: "text/html"))
        all.append(.text(.tooManyRequests, "A page that says to come again later.", type: "text/html"))
        if form != nil { all.append(.text(.forbidden, "A page: the form is not of this browser.", type: "text/html")) }
        return RouteDocumentation(
            summary, details: details, parameters: parameters,
            body: form.map { members in
                .required(.object(members.map { $0 } + [.required("form_token", .string.described("That of the page."))]))
            }, responses: all)
    }

    static let continueParameter = DocumentedParameter.query(
        "continue", .string, "Where to go on: a path of ours. The account page without it.")

    static let continueMember = Routing.Schema.Member.optional("continue", .string)

    static let pageDocumented = DocumentedResponse.text(.ok, "A page.", type: "text/html")

    static let goesOnDocumented = DocumentedResponse.empty(.seeOther, "It is done; `Location` says where to go on.")

    static let signInDocumented = DocumentedResponse.empty(.seeOther, "Nobody is signed in; `Location` is the sign-in page.")
}
