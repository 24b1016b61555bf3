import HTTP
import Text

/// `GET registration/account-confirm-email/{key}/`: where the link in a mail leads unless the team's own site has a page for it. Looking at
/// it changes nothing, so that a mail scanner that follows links confirms nothing; its button does.
struct RestAuthConfirmEmailPage: RestAuthEndpoint {
    let method = Method.get
    let path = "/registration/account-confirm-email/{key}/"

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        // A code of ours has nothing that HTML would take for its own.
        guard let key = request.pathParameters.first, key.utf8.allSatisfy(Self.isPlain) else { throw .request(.notFound) }
        let (title, button) =
            switch words.language {
            case .english: ("Confirm your e-mail address", "Confirm")
            case .japanese: ("メールアドレスの確認", "確認する")
            }
        let html = """
            <!doctype html><html lang="\(words.language.rawValue)"><meta charset="utf-8"><title>\(title)</title><h1>\(title)</h1>\
            <form method="post" action="../../verify-email/"><input type="hidden" name="key" value="\(key)">\
            <button>\(button)</button></form></html>
            """
        let fields: ResponseFields = [
            "Referrer-Policy": "no-referrer",
            "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
        ]
        return Response(
            .ok, contentType: "text/html; charset=utf-8", fields: words.common(fields), body: Array(html.utf8))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

/// `GET registration/account-email-verification-sent/`: where allauth sends who must look into the mailbox first.
struct RestAuthEmailSentPage: RestAuthEndpoint {
    let method = Method.get
    let path = "/registration/account-email-verification-sent/"

    func answer(_ request: Request, _ words: RestAuthWords) async throws(RestAuthError) -> Response {
        words.response(.ok, detail: .verificationSent)
    }
}

extension RestAuthConfirmEmailPage {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "The page behind the link in a verification mail", parameters: [.path("key", .string, "The code.")],
            responses: [.text(.ok, "A page with a button.", type: "text/html")])
    }
}

extension RestAuthEmailSentPage {
    var documentation: RouteDocumentation {
        RouteDocumentation(
            "That a verification mail has been sent", responses: [RestAuthError.done("Verification e-mail sent.")])
    }
}
