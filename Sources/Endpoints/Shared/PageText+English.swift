extension PageText {
    var english: String {
        switch self {
        case .passwordTitle: "Set a new password"
        case .newPassword: "New password"
        case .passwordAgain: "The same password once more"
        case .passwordHint: "At least {minimum} characters."
        case .savePassword: "Save the password"
        case .passwordSavedTitle: "The password is saved"
        case .passwordSaved: "Sign in with it from now on. You have been signed out everywhere. You can close this page."
        case .emailTitle: "Confirm your e-mail address"
        case .emailQuestion:
            "Confirm the address only if you made the account yourself. If somebody else did, they would stay in it."
        case .confirmEmail: "Confirm the address"
        case .emailConfirmedTitle: "The address is confirmed"
        case .emailConfirmed: "Thank you. You can close this page."
        case .addressTitle: "Confirm your new e-mail address"
        case .addressQuestion:
            "Your account will have the address {address}. Confirm it only if you asked for it yourself: else somebody else's account "
                + "would have your address."
        case .addressChangedTitle: "The address is changed"
        case .addressChanged:
            "Your account has the address {address} from now on. All other devices have been signed out."
        case .addressTaken: "This address belongs to another account."
        case .undoTitle: "Undo a change"
        case .undoPassword: "The password of your account was set, changed or removed."
        case .undoIdentityLinked: "An account at a provider became a way to sign in to yours."
        case .undoIdentityUnlinked: "An account at a provider is no longer a way to sign in to yours."
        case .undoAddressRequested: "Another e-mail address was asked for."
        case .undoAddress: "Your account has another e-mail address."
        case .undoneSince: "That was on {time}."
        case .undoEffect:
            "Undoing it puts the e-mail address and the accounts at providers back to what they were before, whatever was changed since. "
                + "A password that was set since is void. Everybody is signed out."
        case .undo: "Undo it and sign everybody out"
        case .undoneTitle: "It is undone"
        case .undone: "The account is as it was before the change, and everybody is signed out."
        case .alreadyUndone: "This has been undone already. There is nothing more to do."
        case .addressElsewhere:
            "Everybody is signed out, and all is as it was. But the old e-mail address belongs to another account by now, so this one opens only "
                + "to the Apple or Google account that it had. If it had none, ask those who run the service."
        case .setPasswordNow: "Set a new password now: whoever made the change may know the one before."
        case .askForPassword: "If you need a new password, ask for a mail with which you can set one."
        case .toSignIn: "Go to sign-in"
        case .failedTitle: "This did not work"
        case .linkIsVoid:
            "This link is no longer good: it has been used, a newer one was sent, or too much time has passed. Ask for another mail."
        case .notFound: "There is no such page."
        case .badRequest: "The request could not be read. Open the link in the mail once more."
        case .failed: "Something has gone wrong with us. Try again later."
        case .unavailable: "The service cannot be reached at the moment. Try again in a minute."
        case .tooManyRequests: "There were too many attempts. Try again later."
        case .passwordsDiffer: "The two passwords are not the same."
        case .passwordMissing: "Enter a password."
        case .tooShort: "The password is too short: it takes at least {minimum} characters."
        case .tooLong: "The password is too long: at most {maximum} bytes."
        case .common: "This password is too common. Choose another one."
        case .equalsEmail: "The password must not be your e-mail address."
        case .notAllowed: "The password has a character that is not allowed."
        }
    }
}
