import Identity

/// What the pages behind the links in mails say.
enum PageText: String, CaseIterable, Sendable {
    case passwordTitle, newPassword, passwordAgain, passwordHint, savePassword
    case passwordSavedTitle, passwordSaved
    case emailTitle, emailQuestion, confirmEmail, emailConfirmedTitle, emailConfirmed
    case addressTitle, addressQuestion, addressChangedTitle, addressChanged, addressTaken
    case undoTitle, undoPassword, undoIdentityLinked, undoIdentityUnlinked, undoAddressRequested, undoAddress
    case undoneSince, undoEffect, undo
    case undoneTitle, undone, alreadyUndone, addressElsewhere, setPasswordNow, askForPassword
    case toSignIn
    case failedTitle, linkIsVoid, notFound, badRequest, failed, unavailable, tooManyRequests
    case passwordsDiffer, passwordMissing, tooShort, tooLong, common, equalsEmail, notAllowed

    /// What stands before a name in a team's own files, where the texts of the sign-in pages are too.
    private static let prefix = "mail."

    /// Its name in a team's own files.
    var name: String { Self.prefix + rawValue }

    init?(named name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(name.dropFirst(Self.prefix.count)))
    }

    /// What has changed, on the page that undoes it.
    init(_ kind: AccountChange.Kind) {
        switch kind {
        case .password: self = .undoPassword
        case .identityLinked: self = .undoIdentityLinked
        case .identityUnlinked: self = .undoIdentityUnlinked
        case .addressRequested: self = .undoAddressRequested
        case .address: self = .undoAddress
        }
    }

    /// In a language, unless the team has a text of its own.
    func text(in language: AcceptedLanguage) -> String {
        switch language {
        case .english: english
        case .japanese: japanese
        }
    }
}
