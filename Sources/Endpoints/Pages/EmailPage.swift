import HTTP
import Identity
import Routing

extension Pages {
    /// `GET /account/email`: a button, and no more: a mail scanner that follows the link confirms nothing.
    struct ShowEmailForm: Endpoint {
        static let method = Method.get
        static let path = PagePath.email

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inQuery(request)
            var page = Page(title: words[.emailTitle], language: words.language, look: words.look)
            page.paragraph(words[.emailQuestion])
            page.form(code: code, button: words[.confirmEmail])
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            RouteDocumentation(
                "The page that asks whether an address is the user's", parameters: [PageCode.parameter],
                responses: [.text(.ok, "A page with a button.", type: "text/html"), PageFailure.codeIsVoidDocumented])
        }
    }

    /// `POST /account/email`: notes that the address is its user's.
    struct ConfirmEmail: Endpoint {
        static let method = Method.post
        static let path = PagePath.email

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inForm(request).code
            try await PageFailure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.verifyEmail(code: code, caller: Caller(request))
            }
            var page = Page(title: words[.emailConfirmedTitle], language: words.language, look: words.look)
            page.paragraph(words[.emailConfirmed])
            page.offerSignIn(words)
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            PageCode.documentationOfForm(
                "Confirm an address by the button", [.text(.ok, "A page: the address is confirmed.", type: "text/html")])
        }
    }
}
