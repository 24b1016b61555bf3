package import Text

/// The rules of Django's four password validators, for the APIs whose clients know their words: all that is wrong at once, in their
/// order. They come on top of those that hold for every password.
package enum DjangoPasswordRules {
    /// What is known of who wants the password.
    package struct Owner: Sendable {
        fileprivate let email: EmailAddress?
        private let username: String
        private let firstName: String
        private let lastName: String

        package init(email: EmailAddress?, profile: Profile) {
            self.email = email
            username = profile.username.text
            firstName = profile.firstName
            lastName = profile.lastName
        }

        /// Somebody who is about to become a user.
        /// - Parameter username: nil to have one made of the address.
        package init(newUser email: EmailAddress, username: Username?) {
            self.email = email
            self.username = username?.text ?? Username.base(for: email)
            firstName = ""
            lastName = ""
        }

        /// In the order in which they are looked at.
        fileprivate var attributes: [(field: InputProblem.Field, text: String)] {
            [
                (.username, username), (.firstName, firstName), (.lastName, lastName), (.email, email?.normalized ?? ""),
            ]
        }
    }

    /// From here on two texts are too similar.
    private static let similarity = 0.7
    /// Longer texts are not compared: no attribute of an owner resembles them.
    private static let comparedLength = 1024

    /// - Parameter owner: nil where nobody is known yet.
    package static func objections(to secret: SecretString, of owner: Owner?, email: EmailAddress?) -> [InputProblem.Reason] {
        let text = secret.revealedText
        var reasons: [InputProblem.Reason] = []
        if let field = owner.flatMap({ resembled(text, $0) }) { reasons.append(.resembles(field)) }
        if text.utf16.count < Password.minimumLength { reasons.append(.tooShort(minimum: Password.minimumLength)) }
        if CommonPasswords.contain(text) { reasons.append(.commonPassword) }
        if !text.isEmpty, text.unicodeScalars.allSatisfy({ $0.properties.generalCategory == .decimalNumber }) {
            reasons.append(.entirelyNumeric)
        }
        guard reasons.isEmpty else { return reasons }
        do throws(InputProblem) {
            _ = try Password(chosen: text, for: owner?.email ?? email)
            return []
        } catch {
            return [error.reason]
        }
    }

    private static func resembled(_ password: String, _ owner: Owner) -> InputProblem.Field? {
        let password = Array(password.lowercased().unicodeScalars)
        guard password.count <= comparedLength else { return nil }
        return owner.attributes.first { attribute in
            let whole = attribute.text.lowercased()
            let words = whole.unicodeScalars.split { !isWordCharacter($0) }.map(Array.init)
            return (words + [Array(whole.unicodeScalars)]).contains { !$0.isEmpty && ratio(password, $0) >= similarity }
        }?.field
    }

    /// `\w` of Python.
    private static func isWordCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// How many characters two texts have in common, of all they have, whatever their order: `quick_ratio` of Python's difflib.
    private static func ratio(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Double {
        var counts: [Unicode.Scalar: Int] = [:]
        for scalar in right { counts[scalar, default: 0] += 1 }
        var common = 0
        for scalar in left {
            guard let count = counts[scalar], count > 0 else { continue }
            counts[scalar] = count - 1
            common += 1
        }
        return 2 * Double(common) / Double(left.count + right.count)
    }
}
