/// What the sign-in pages say. The raw values are the names of texts in a team's own files.
enum SignInText: String, CaseIterable, Sendable {
    // Signing in
    case signIn, signInFor, signedInAs, withoutEmail, email, identifier, password, remember, signInButton, forgotPassword, newHere
    case createAccount, or, continueWith, wrongCredentials, wrongIdentifier, emailMissing, identifierMissing, passwordMissing
    case formIsOld, cookiesNeeded, tooMany
    case providerRefused, emailNeedsLinking, identityTaken
    // Signing up and a new password
    case signUp, name, nameHint, passwordHint, signUpButton, haveAccount, emailTaken, emailMalformed, nameMalformed
    case checkMail, checkMailText, toSignIn
    case forgot, forgotText, forgotButton, forgotSent, forgotSentText
    case tooShort, tooLong, tooCommon, equalsEmail, notAllowed
    // Consent
    case consent, consentAsks, consentHost, consentAllow, consentDeny, consentOther, consentTake, clientPolicy, clientTerms
    case scopeOpenID, scopeProfile, scopeEmail, scopeAddress, scopePhone, scopeOffline, scopeOther
    // Devices with a code
    case device, deviceText, deviceCode, deviceButton, deviceWrong, deviceConfirm, deviceWarning, deviceAllowed, deviceDenied
    case deviceClose
    // Signing out
    case signOut, signOutText, signOutButton, signOutStay, signedOut, signedOutText, goOnTo
    // The account
    case account, accountWithoutEmail, accountName, saveName, emailUnproved, sendConfirmation, confirmationSent, nameSaved
    case waysIn, changePassword, setPassword, oldPassword, newPassword, savePassword, passwordSaved, hasNoPassword
    case link, unlink, linked, unlinked, lastWayIn, oldPasswordWrong
    case changeEmail, newEmail, changeEmailText, changeEmailButton, emailSent, emailSentText
    case devices, thisDevice, lastUsed, endDevice, endOthers, deviceEnded, othersEnded
    case consents, consentsText, noConsents, withdraw, withdrawn, grantedOn
    case deleteAccount, deleteText, deleteConfirm, deleteButton, deleted, deletedText, confirmSignIn
    // What goes wrong
    case failed, notFound, badRequest, badLink, crossSite, unavailable, broken, requestRefused, requestRefusedText, back

    /// In a language, unless the team has a text of its own.
    func text(in language: AcceptedLanguage) -> String {
        switch language {
        case .english: english
        case .japanese: japanese
        }
    }
}

/// The texts in the language of a request.
struct SignInWords: Sendable {
    let language: AcceptedLanguage
    let look: PageLook

    subscript(_ text: SignInText) -> String {
        ofService(look.texts[language.rawValue]?[text.rawValue] ?? text.text(in: language))
    }

    /// A text with what the team calls the service.
    func ofService(_ text: String) -> String {
        look.ofService(text)
    }

    /// A text with its placeholders filled in.
    subscript(_ text: SignInText, _ values: (name: String, value: String)...) -> String {
        self[text].filling(values.map { (name: "{\($0.name)}", value: $0.value) })
    }

    /// A day, as people write it.
    func day(_ iso8601: String) -> String {
        let parts = iso8601.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return String(iso8601.prefix(10)) }
        switch language {
        case .english: return "\(parts[2]) \(Self.months[parts[1] - 1]) \(parts[0])"
        case .japanese: return "\(parts[0])年\(parts[1])月\(parts[2])日"
        }
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]
}
