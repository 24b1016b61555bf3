/// What rest-auth knows of a user beside what all know: Django's number, username and two names. No other protocol shows them.
package struct Profile: Equatable, Sendable {
    /// For clients whose users are numbered; never given to anybody else.
    package let number: Int64
    package let username: Username
    package let firstName: String
    package let lastName: String

    package init(number: Int64, username: Username, firstName: String, lastName: String) {
        self.number = number
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
    }

    /// In Unicode scalars, of each of the two names.
    package static let maximumNameLength = 150
}
