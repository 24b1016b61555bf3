import Identity
import Routing
import Text

/// `new_password1` and `new_password2` in a request (contract §3.4, §3.6).
struct RestAuthPasswords {
    /// Of each, in characters.
    private static let maximumLength = 128

    private let first: SecretString?
    private let second: SecretString?

    init(_ fields: inout RestAuthFields) {
        first = fields.secret("new_password1", maximum: Self.maximumLength)
        second = fields.secret("new_password2", maximum: Self.maximumLength)
    }

    /// The password, if the two are the same and Django's validators and our own rules accept it.
    /// - Throws: what is wrong, which is all said of the second.
    func checked(for user: User, _ profile: Profile) throws(RestAuthError) -> SecretString {
        // Missing ones have been refused before.
        guard let first, let second else { throw .field("new_password1", .required) }
        guard first.revealedText == second.revealedText else { throw .field("new_password2", .formMismatch) }
        let owner = DjangoPasswordRules.Owner(email: user.email, profile: profile)
        let reasons = DjangoPasswordRules.objections(to: first, of: owner, email: nil)
        guard reasons.isEmpty else {
            throw .fields([RestAuthError.Field("new_password2", all: reasons.map { .password($0) })])
        }
        return first
    }
}

extension RestAuthPasswords {
    static let members: [Routing.Schema.Member] = [.required("new_password1", .password), .required("new_password2", .password)]
}
