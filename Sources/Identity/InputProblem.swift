package import Text

/// What is wrong with one thing that a caller wants to set. An API knows under which name its client sent it.
package struct InputProblem: Error, Equatable, Sendable {
    /// What was to be set.
    package enum Field: Sendable, CaseIterable {
        case email, password, displayName, photoURL, username, firstName, lastName
    }

    /// What is wrong with it.
    package enum Reason: Equatable, Sendable {
        case missing
        case malformed
        case forbiddenCharacter
        /// In the unit that the value's type documents.
        case tooShort(minimum: Int)
        case tooLong(maximum: Int)
        /// One of the passwords that everybody tries first.
        case commonPassword
        case passwordEqualsEmail
        /// A password of digits only, where that is refused.
        case entirelyNumeric
        /// A password that is nearly the same as something known of its owner.
        case resembles(Field)
    }

    package let field: Field
    package let reason: Reason

    package init(_ field: Field, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }

    /// The same in the vocabulary that APIs render.
    package var kind: FieldProblem.Kind {
        switch reason {
        case .missing: .missing(expected: .string)
        case .malformed: .invalidFormat(formatName)
        case .forbiddenCharacter: .custom(code: "forbidden_character")
        case .tooShort(let minimum): .tooSmall(.string, minimum: minimum)
        case .tooLong(let maximum): .tooBig(.string, maximum: maximum)
        case .commonPassword: .custom(code: "common_password")
        case .passwordEqualsEmail: .custom(code: "password_equals_email")
        case .entirelyNumeric: .custom(code: "entirely_numeric")
        case .resembles: .custom(code: "too_similar")
        }
    }

    private var formatName: String {
        switch field {
        case .email: "email"
        case .password: "password"
        case .displayName: "name"
        case .photoURL: "url"
        case .username: "username"
        case .firstName: "first_name"
        case .lastName: "last_name"
        }
    }
}

/// The result of `body`, or nil and its problem among the others.
@discardableResult
func collect<T>(_ problems: inout [InputProblem], _ body: () throws(InputProblem) -> T) -> T? {
    do throws(InputProblem) {
        return try body()
    } catch {
        problems.append(error)
        return nil
    }
}
