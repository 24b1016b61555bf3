import HTTP
import Identity
import Routing

extension Pages {
    /// `GET /account/address`: the new address, and a button. The one before is not shown: the mail may have gone to a stranger.
    struct ShowAddressForm: Endpoint {
        static let method = Method.get
        static let path = PagePath.address

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inQuery(request)
            let address = try await PageFailure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.address(ofCode: code, caller: Caller(request))
            }
            var page = Page(title: words[.addressTitle], language: words.language, look: words.look)
            page.paragraph(words[.addressQuestion, ("address", address.typed)])
            page.form(code: code, button: words[.confirmEmail])
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            PageCode.documentationOfPage("The page that asks whether a new address is the user's")
        }
    }

    /// `POST /account/address`: puts the address in the place of the one before.
    struct ChangeAddress: Endpoint {
        static let method = Method.post
        static let path = PagePath.address

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inForm(request).code
            let change = try await PageFailure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.changeAddress(code: code, caller: Caller(request))
            }
            var page = Page(title: words[.addressChangedTitle], language: words.language, look: words.look)
            page.paragraph(words[.addressChanged, ("address", change.user.email?.typed ?? "")])
            if let resetCode = change.resetCode { page.offerPassword(resetCode, of: change.user.email?.typed, words) }
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            PageCode.documentationOfForm(
                "Change the address by the button",
                [
                    .text(.ok, "A page: the account has the address.", type: "text/html"),
                    .text(.conflict, "A page: somebody else has the address by now.", type: "text/html"),
                ])
        }
    }
}
