/// Why a user was not made or changed.
package enum UserError: Error, Equatable, Sendable {
    /// Something that the caller wants to set breaks a rule; all problems at once, never none.
    case invalidInput([InputProblem])
    case emailTaken
    case usernameTaken
    /// There is no such user, or none any more.
    case notFound
}
