import HTTP
import Routing
import Text

extension Pages {
    /// The code of a mail in a request.
    enum PageCode {
        /// In the query of a link.
        /// - Throws: when there is none: a link that was cut, or typed.
        static func inQuery(_ request: Request) throws(PageFailure) -> SecretString {
            guard let form = try? FormFields(parsing: request.head.queryBytes) else { throw .codeIsVoid }
            return try code(form)
        }

        /// In a form of ours, with its other fields.
        static func inForm(_ request: Request) throws(PageFailure) -> (code: SecretString, fields: FormFields) {
            guard let form = try? FormFields(parsing: request.body) else { throw .codeIsVoid }
            return (try code(form), form)
        }

        private static func code(_ form: FormFields) throws(PageFailure) -> SecretString {
            guard let code = form.secret("code"), !code.isEmpty else { throw .codeIsVoid }
            return code
        }

        static let parameter = DocumentedParameter.query("code", .string, "That of the mail.")
        static let member = Routing.Schema.Member.required("code", .string)

        /// A page that asks, and changes nothing.
        static func documentationOfPage(_ summary: String, _ further: [DocumentedResponse] = []) -> RouteDocumentation {
            RouteDocumentation(
                summary, parameters: [parameter],
                responses: [DocumentedResponse.text(.ok, "A page with a button.", type: "text/html")] + further
                    + [PageFailure.codeIsVoidDocumented, PageFailure.limitedDocumented])
        }

        /// What the form of such a page does.
        static func documentationOfForm(_ summary: String, _ responses: [DocumentedResponse]) -> RouteDocumentation {
            RouteDocumentation(
                summary, body: .required(.object([member])),
                responses: responses + [PageFailure.codeIsVoidDocumented, PageFailure.limitedDocumented])
        }
    }
}
