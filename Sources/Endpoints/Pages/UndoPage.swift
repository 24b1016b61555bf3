import HTTP
import Identity
import Routing
import Text

extension Pages {
    /// `GET /account/undo`: what has changed, and a button that undoes it: a mail scanner that follows the link undoes nothing.
    struct ShowUndoForm: Endpoint {
        static let method = Method.get
        static let path = PagePath.undo

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inQuery(request)
            let change = try await PageFailure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.change(ofCode: code, caller: Caller(request))
            }
            guard !change.isUndone else { return UndonePage.already(words) }
            var page = Page(title: words[.undoTitle], language: words.language, look: words.look)
            page.paragraph(words[PageText(change.kind)])
            page.paragraph(words[.undoneSince, ("time", change.createdAt.pageText)])
            page.paragraph(words[.undoEffect])
            page.form(code: code, button: words[.undo])
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            PageCode.documentationOfPage(
                "The page that asks whether to undo a change of the ways into an account", [UndonePage.documented])
        }
    }

    /// `POST /account/undo`: undoes the change and all that are newer, ends all sessions, and offers to set a new password.
    struct UndoChange: Endpoint {
        static let method = Method.post
        static let path = PagePath.undo

        let services: Services

        func answer(_ request: Request, _ words: PageWords) async throws(PageFailure) -> Response {
            let code = try PageCode.inForm(request).code
            let outcome = try await PageFailure.mapIdentityErrors { () throws(IdentityError) in
                try await services.confirmations.undo(code: code, caller: Caller(request))
            }
            var page = Page(title: words[.undoneTitle], language: words.language, look: words.look)
            switch outcome {
            case .alreadyUndone: return UndonePage.already(words)
            case .addressElsewhere: page.paragraph(words[.addressElsewhere])
            case .undone(let resetCode):
                page.paragraph(words[.undone])
                page.offerPassword(resetCode, words)
            }
            return page.response(.ok)
        }

        static var documentation: RouteDocumentation {
            PageCode.documentationOfForm(
                "Undo a change by the button",
                [.text(.ok, "A page: it is undone. With a form for a new password.", type: "text/html"), UndonePage.documented])
        }
    }

    private enum UndonePage {
        static func already(_ words: PageWords) -> Response {
            var page = Page(title: words[.undoneTitle], language: words.language, look: words.look)
            page.paragraph(words[.alreadyUndone])
            return page.response(.gone)
        }

        static let documented = DocumentedResponse.text(
            .gone, "A page: it has been undone already, and nothing has happened.", type: "text/html")
    }
}

extension Timestamp {
    /// To the minute, in UTC.
    fileprivate var pageText: String {
        let text = iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
