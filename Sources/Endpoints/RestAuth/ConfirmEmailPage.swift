import HTTP
import Identity
import Routing
import Text

extension RestAuth {
    /// `registration/account-confirm-email/{key}/`: where the link in a mail leads unless the team's own site, or the API of the pages, has
    /// one for it. As with allauth a `GET` shows a button and changes nothing, so that a mail scanner that follows links confirms nothing, and
    /// the button sends a `POST` to the same address.
    struct ConfirmEmailPage: Endpoint {
        let path = "/registration/account-confirm-email/{key}/"

        let services: Services
        let method: Method

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            let texts = PageWords(words.language, services.look)
            guard let key = request.pathParameters.first, key.utf8.allSatisfy(Self.isPlain) else {
                return PageFailure.codeIsVoid.response(texts)
            }
            var page: Page
            if method == .get {
                page = Page(title: texts[.emailTitle], language: texts.language, look: texts.look)
                page.paragraph(texts[.emailQuestion])
                page.form(code: SecretString(key), button: texts[.confirmEmail])
            } else {
                do throws(IdentityError) {
                    try await services.confirmations.verifyEmail(code: SecretString(key), caller: Caller(request))
                } catch {
                    return PageFailure.identity(error).response(texts)
                }
                page = Page(title: texts[.emailConfirmedTitle], language: texts.language, look: texts.look)
                page.paragraph(texts[.emailConfirmed])
            }
            return page.response(.ok)
        }

        /// A code of ours has no other characters.
        private static func isPlain(_ byte: UInt8) -> Bool {
            Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }

        var documentation: RouteDocumentation {
            let parameter = DocumentedParameter.path("key", .string, "The code.")
            guard method == .post else {
                return RouteDocumentation(
                    "The page behind the link in a verification mail", parameters: [parameter],
                    responses: [.text(.ok, "A page with a button.", type: "text/html"), PageFailure.codeIsVoidDocumented])
            }
            return RouteDocumentation(
                "Prove an e-mail address by the button of the page", parameters: [parameter],
                body: .optional(.object([.optional("code", .string.described("The button sends it; that of the path counts."))])),
                responses: [
                    .text(.ok, "A page: the address is confirmed.", type: "text/html"), PageFailure.codeIsVoidDocumented,
                    PageFailure.limitedDocumented,
                    .text(.serviceUnavailable, "A page: a store is away, or there is too much to do.", type: "text/html"),
                ])
        }
    }

    /// `GET registration/account-email-verification-sent/`: where allauth sends who must look into the mailbox first.
    struct EmailSentPage: Endpoint {
        let method = Method.get
        let path = "/registration/account-email-verification-sent/"

        func answer(_ request: Request, _ words: Words) async throws(Failure) -> Response {
            words.response(.ok, detail: .verificationSent)
        }

        var documentation: RouteDocumentation {
            RouteDocumentation(
                "That a verification mail has been sent", responses: [Failure.done("Verification e-mail sent.")])
        }
    }
}
