import HTTP
import Identity

/// What the pages say.
enum PageText {
    case passwordTitle, newPassword, passwordAgain, passwordHint, savePassword
    case passwordSavedTitle, passwordSaved
    case emailTitle, emailQuestion, confirmEmail, emailConfirmedTitle, emailConfirmed
    case addressTitle, addressQuestion(String), addressChangedTitle, addressChanged(String), addressTaken
    case undoTitle, undoQuestion(AccountChange.Kind), undoneSince(String), undoEffect, undo
    case undoneTitle, undone, alreadyUndone, addressElsewhere, setPasswordNow, askForPassword
    case failedTitle, linkIsVoid, notFound, badRequest, failed, unavailable, tooManyRequests
    case passwordsDiffer, passwordMissing, tooShort(Int), tooLong(Int), common, equalsEmail, notAllowed

    init(_ reason: InputProblem.Reason) {
        switch reason {
        case .missing: self = .passwordMissing
        case .tooShort(let minimum): self = .tooShort(minimum)
        case .tooLong(let maximum): self = .tooLong(maximum)
        case .commonPassword: self = .common
        case .passwordEqualsEmail: self = .equalsEmail
        case .malformed, .forbiddenCharacter: self = .notAllowed
        case .entirelyNumeric, .resembles: self = .common
        }
    }
}

/// The texts in the language of a request.
struct PageWords: Sendable {
    let language: AcceptedLanguage
    let look: PageLook

    init(_ language: AcceptedLanguage, _ look: PageLook) {
        self.language = language
        self.look = look
    }

    init(_ head: RequestHead?, _ look: PageLook) {
        self.init(AcceptedLanguage(head), look)
    }

    subscript(_ text: PageText) -> String {
        switch language {
        case .english: Self.english(text)
        case .japanese: Self.japanese(text)
        }
    }

    private static func english(_ text: PageText) -> String {
        switch text {
        case .passwordTitle: "Set a new password"
        case .newPassword: "New password"
        case .passwordAgain: "The same password once more"
        case .passwordHint: "At least \(Password.minimumLength) characters."
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
        case .addressQuestion(let address):
            "Your account will have the address \(address). Confirm it only if you asked for it yourself: else somebody else's account "
                + "would have your address."
        case .addressChangedTitle: "The address is changed"
        case .addressChanged(let address):
            "Your account has the address \(address) from now on. All other devices have been signed out."
        case .addressTaken: "This address belongs to another account."
        case .undoTitle: "Undo a change"
        case .undoQuestion(.password): "The password of your account was set, changed or removed."
        case .undoQuestion(.identityLinked): "An account at a provider became a way to sign in to yours."
        case .undoQuestion(.identityUnlinked): "An account at a provider is no longer a way to sign in to yours."
        case .undoQuestion(.addressRequested): "Another e-mail address was asked for."
        case .undoQuestion(.address): "Your account has another e-mail address."
        case .undoneSince(let time): "That was on \(time)."
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
        case .tooShort(let minimum): "The password is too short: it takes at least \(minimum) characters."
        case .tooLong(let maximum): "The password is too long: at most \(maximum) bytes."
        case .common: "This password is too common. Choose another one."
        case .equalsEmail: "The password must not be your e-mail address."
        case .notAllowed: "The password has a character that is not allowed."
        }
    }

    private static func japanese(_ text: PageText) -> String {
        switch text {
        case .passwordTitle: "新しいパスワードの設定"
        case .newPassword: "新しいパスワード"
        case .passwordAgain: "新しいパスワード（確認用）"
        case .passwordHint: "\(Password.minimumLength)文字以上で入力してください。"
        case .savePassword: "パスワードを保存する"
        case .passwordSavedTitle: "パスワードを保存しました"
        case .passwordSaved: "今後は新しいパスワードでログインしてください。すべての端末からログアウトしました。このページは閉じて構いません。"
        case .emailTitle: "メールアドレスの確認"
        case .emailQuestion: "ご自身で作成したアカウントの場合にのみ、確認してください。お心当たりがない場合は、このページを閉じてください。"
        case .confirmEmail: "確認する"
        case .emailConfirmedTitle: "メールアドレスを確認しました"
        case .emailConfirmed: "ありがとうございます。このページは閉じて構いません。"
        case .addressTitle: "新しいメールアドレスの確認"
        case .addressQuestion(let address):
            "アカウントのメールアドレスが \(address) に変わります。ご自身でお申し込みになった場合にのみ、確認してください。"
        case .addressChangedTitle: "メールアドレスを変更しました"
        case .addressChanged(let address): "アカウントのメールアドレスは \(address) になりました。ほかの端末からはログアウトしました。"
        case .addressTaken: "このメールアドレスは別のアカウントで使われています。"
        case .undoTitle: "変更の取り消し"
        case .undoQuestion(.password): "アカウントのパスワードが設定、変更または削除されました。"
        case .undoQuestion(.identityLinked): "外部アカウントでログインできるようになりました。"
        case .undoQuestion(.identityUnlinked): "外部アカウントでログインできなくなりました。"
        case .undoQuestion(.addressRequested): "メールアドレスの変更が申し込まれました。"
        case .undoQuestion(.address): "アカウントのメールアドレスが変更されました。"
        case .undoneSince(let time): "変更の日時：\(time)"
        case .undoEffect:
            "取り消すと、メールアドレスと外部アカウントはこの変更の前の状態に戻り、その後の変更も取り消されます。その後に設定されたパスワードは無効になり、すべての端末からログアウトします。"
        case .undo: "取り消してログアウトする"
        case .undoneTitle: "取り消しました"
        case .undone: "アカウントは変更の前の状態に戻り、すべての端末からログアウトしました。"
        case .alreadyUndone: "この変更はすでに取り消されています。これ以上の操作は必要ありません。"
        case .addressElsewhere:
            "すべての端末からログアウトし、変更前の状態に戻しました。ただし、以前のメールアドレスは別のアカウントで使われているため、このアカウントには以前連携していたAppleまたはGoogleのアカウントでのみログインできます。連携がなかった場合は、サービスの運営者にお問い合わせください。"
        case .setPasswordNow: "新しいパスワードを設定してください。以前のパスワードは知られているおそれがあります。"
        case .askForPassword: "新しいパスワードが必要な場合は、パスワードの再設定をお申し込みください。"
        case .failedTitle: "完了できませんでした"
        case .linkIsVoid: "このリンクは使えません。使用済みか、新しいメールが送られたか、有効期限が切れています。もう一度メールを請求してください。"
        case .notFound: "ページが見つかりません。"
        case .badRequest: "リクエストを読み取れませんでした。メールのリンクをもう一度開いてください。"
        case .failed: "サーバーで問題が発生しました。しばらくしてからもう一度お試しください。"
        case .unavailable: "現在サービスを利用できません。1分ほどしてからもう一度お試しください。"
        case .tooManyRequests: "試行回数が多すぎます。しばらくしてからもう一度お試しください。"
        case .passwordsDiffer: "2つのパスワードが一致しません。"
        case .passwordMissing: "パスワードを入力してください。"
        case .tooShort(let minimum): "パスワードが短すぎます。\(minimum)文字以上必要です。"
        case .tooLong(let maximum): "パスワードが長すぎます。\(maximum)バイト以下にしてください。"
        case .common: "このパスワードは一般的すぎます。別のものを選んでください。"
        case .equalsEmail: "メールアドレスをパスワードにすることはできません。"
        case .notAllowed: "パスワードに使えない文字が含まれています。"
        }
    }
}
