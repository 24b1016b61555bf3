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
    }
}
