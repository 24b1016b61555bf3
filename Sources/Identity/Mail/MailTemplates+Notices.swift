/// The words of the mails that tell of changes. What the link does is said in a paragraph with `{lifetime}`, which is left out where there
/// is no link.
extension MailTemplates {
    static func englishNotice(_ kind: Mail.Kind) -> Words {
        switch kind {
        case .passwordReset, .emailVerification, .signUpAttempted, .signInLink, .signInCode: preconditionFailure("no notice")
        case .identityLinked:
            englishChange(
                subject: "A new way to sign in to {product}",
                "Your account {email} at {product} can now also be entered with an account at {provider}.")
        case .identityUnlinked:
            englishChange(
                subject: "A way to sign in to {product} was removed",
                "Your account {email} at {product} can no longer be entered with an account at {provider}.")
        case .passwordChanged:
            englishChange(
                subject: "The password of {product} was changed",
                "The password of your account {email} at {product} was set, changed or removed.",
                "Beside the password, accounts at these providers open it: {identities}. Remove those that you do not know.")
        case .addressChangeRequested:
            englishChange(
                subject: "Another address was asked for at {product}",
                "Somebody who is signed in to your account {email} at {product} wants it to have another e-mail address: {address}.",
                "Nothing has changed yet.")
        case .addressChanged:
            englishChange(
                subject: "The address of {product} was changed",
                "Your account at {product} no longer has the e-mail address {email}. The new one is: {address}.")
        case .addressConfirmation:
            Words(
                subject: "Confirm the new address for {product}",
                before: [
                    "Somebody wants an account at {product} to have the e-mail address {email}. If it was you, confirm it here:"
                ],
                action: "Confirm the address",
                after: [
                    "The link works once, within {lifetime}. Do not pass it on.",
                    "If it was not you, do not confirm: the account belongs to somebody else. There is nothing to do.",
                ])
        case .addressTaken:
            Words(
                subject: "Your address at {product}",
                before: [
                    "Somebody wanted another account at {product} to have the e-mail address {email}. It belongs to an account already, and "
                        + "nothing has changed.",
                    "If it was you, sign in to the account that has the address, or ask for a new password there.",
                    "If it was not you, there is nothing to do.",
                ], after: [])
        case .changesUndone:
            Words(
                subject: "Changes were undone at {product}",
                before: [
                    "By the link of an earlier mail, changes of an account at {product} with the e-mail address {email} were undone, and "
                        + "everybody was signed out of it."
                ],
                after: ["If it was not you, ask for a new password and look through the accounts at providers that open yours."])
        }
    }

    private static func englishChange(subject: String, _ paragraphs: String...) -> Words {
        Words(
            subject: subject,
            before: paragraphs + [
                "If it was you, there is nothing to do.",
                "If it was not you, undo it within {lifetime}. This also undoes what was changed since, and signs everybody out:",
            ],
            action: "Undo it and sign everybody out",
            after: ["Whoever changed it may know your password: set a new one, and keep your mailbox safe."])
    }

    static func japaneseNotice(_ kind: Mail.Kind) -> Words {
        switch kind {
        case .passwordReset, .emailVerification, .signUpAttempted, .signInLink, .signInCode: preconditionFailure("no notice")
        case .identityLinked:
            japaneseChange(
                subject: "{product} 新しいログイン方法のお知らせ",
                "{product} のアカウント（{email}）に、{provider} のアカウントでもログインできるようになりました。")
        case .identityUnlinked:
            japaneseChange(
                subject: "{product} ログイン方法の削除のお知らせ",
                "{product} のアカウント（{email}）に、{provider} のアカウントではログインできなくなりました。")
        case .passwordChanged:
            japaneseChange(
                subject: "{product} パスワード変更のお知らせ",
                "{product} のアカウント（{email}）のパスワードが設定、変更または削除されました。",
                "パスワードのほかに、次の外部アカウントでもログインできます：{identities}。見覚えのないものは解除してください。")
        case .addressChangeRequested:
            japaneseChange(
                subject: "{product} メールアドレス変更の申し込み",
                "{product} のアカウント（{email}）で、メールアドレスを {address} に変更する申し込みがありました。",
                "まだ何も変更されていません。")
        case .addressChanged:
            japaneseChange(
                subject: "{product} メールアドレス変更のお知らせ",
                "{product} のアカウントのメールアドレスが {email} から変更されました。新しいメールアドレスは {address} です。")
        case .addressConfirmation:
            Words(
                subject: "{product} 新しいメールアドレスの確認",
                before: [
                    "{product} のアカウントのメールアドレスを {email} に変更する申し込みがありました。",
                    "お申し込みになった場合は、次のリンクから確認してください。",
                ],
                action: "メールアドレスを確認する",
                after: [
                    "リンクの有効期限は{lifetime}で、使えるのは一度だけです。ほかの人には教えないでください。",
                    "お心当たりがない場合は、ほかの方のアカウントですので、確認しないでください。何もする必要はありません。",
                ])
        case .addressTaken:
            Words(
                subject: "{product} メールアドレスについて",
                before: [
                    "{product} の別のアカウントに、メールアドレス {email} を設定しようとした方がいます。このアドレスはすでに使われているため、何も変更されていません。",
                    "ご自身の場合は、このアドレスのアカウントにログインするか、パスワードの再設定をお申し込みください。",
                    "お心当たりがない場合は、何もする必要はありません。",
                ], after: [])
        case .changesUndone:
            Words(
                subject: "{product} 変更の取り消しのお知らせ",
                before: ["以前のメールのリンクから、{product} のアカウント（{email}）の変更が取り消され、すべての端末からログアウトしました。"],
                after: ["お心当たりがない場合は、パスワードを再設定し、連携している外部アカウントを確認してください。"])
        }
    }

    private static func japaneseChange(subject: String, _ paragraphs: String...) -> Words {
        Words(
            subject: subject,
            before: paragraphs + [
                "ご自身の操作の場合は、何もする必要はありません。",
                "お心当たりがない場合は、{lifetime}以内に次のリンクから取り消してください。その後の変更も取り消され、すべての端末からログアウトします。",
            ],
            action: "取り消してログアウトする",
            after: ["お心当たりがない場合は、パスワードも知られているおそれがあります。新しいパスワードを設定し、メールボックスの安全も確認してください。"])
    }
}
