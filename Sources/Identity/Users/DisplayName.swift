/// The name under which a user wants to appear: 1 to 200 Unicode scalars after trimming, without control characters.
package struct DisplayName: Equatable, Sendable, CustomStringConvertible {
    /// In Unicode scalars.
    package static let maximumLength = 200

    package let text: String

    /// `nil` if nothing that shows is left after trimming: no name.
    package init?(_ text: String) throws(InputProblem) {
        let trimmed = text.trimmed
        guard trimmed.showsSomething else { return nil }
        guard trimmed.unicodeScalars.count <= Self.maximumLength else {
            throw InputProblem(.displayName, .tooLong(maximum: Self.maximumLength))
        }
        guard !trimmed.unicodeScalars.contains(where: \.breaksLines) else {
            throw InputProblem(.displayName, .forbiddenCharacter)
        }
        self.text = trimmed
    }

    /// As it was stored; not checked again.
    package init(stored text: String) {
        self.text = text
    }

    package var description: String {
        text
    }
}
