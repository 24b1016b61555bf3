import Identity
import Routing
import Text

extension RestAuth {
    /// `new_password1` and `new_password2` in a request.
    struct Passwords {
        /// Of each, in characters.
        private static let maximumLength = 128

        private let first: SecretString?
        private let second: SecretString?

        init(_ fields: inout Fields) {
            first = fields.secret("new_password1", maximum: Self.maximumLength)
            second = fields.secret("new_password2", maximum: Self.maximumLength)
        }

        /// The password, if the two are the same and Django's validators and our own rules accept it.
        /// - Throws: what is wrong, which is all said of the second.
        func checked(for user: User, _ profile: Profile) throws(Failure) -> SecretString {
            // Missing ones have been refused before.
            guard let first, let second else { throw .field("new_password1", .required) }
            guard first.revealedText == second.revealedText else { throw .field("new_password2", .formMismatch) }
            let owner = DjangoPasswordRules.Owner(email: user.email, profile: profile)
            let reasons = DjangoPasswordRules.objections(to: first, of: owner, email: nil)
            guard reasons.isEmpty else {
                throw .fields([Failure.Field("new_password2", all: reasons.map { .password($0) })])
            }
            return first
        }

        static let members: [Routing.Schema.Member] = [
            .required("new_password1", .password), .required("new_password2", .password),
        ]
    }
}
