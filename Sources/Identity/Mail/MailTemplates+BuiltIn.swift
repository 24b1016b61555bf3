extension MailTemplates {
    /// What a built-in mail says, from which its two forms are made.
    struct Words {
        let subject: String
        let before: [String]
        /// What the link does; nil for a mail without a link.
        var action: String?
        let after: [String]
    }

    /// As a file would have it: what operators begin with who want it otherwise.
    package static func builtInText(_ name: Name) -> String {
        let words =
            switch name.language {
            case .english: english(name.kind)
            case .japanese: japanese(name.kind)
            }
        return switch name.form {
        case .text: text(words)
        case .html: html(words, name.language)
        }
    }

    private static func text(_ words: Words) -> String {
        let link = words.action == nil ? [] : ["{link}"]
        return "Subject: \(words.subject)\n\n" + (words.before + link + words.after).joined(separator: "\n\n") + "\n"
    }

    /// Nothing in it is fetched from anywhere.
    private static func html(_ words: Words, _ language: Mail.Language) -> String {
        let link = words.action.map { action in
            """
            <p><a href="{link}" style="display: inline-block; padding: 0.6em 1.2em; background: #1d4ed8; color: #ffffff; \
            text-decoration: none; border-radius: 0.4em">\(action)</a></p>
            <p style="word-break: break-all; color: #555555">{link}</p>
            """
        }
        let paragraphs = words.before.map { "<p>\($0)</p>" } + (link.map { [$0] } ?? []) + words.after.map { "<p>\($0)</p>" }
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(words.subject)</title></head>
            <body style="margin: 2em auto; padding: 0 1em; max-width: 34em; font-family: sans-serif; line-height: 1.6; color: #222222">
            \(paragraphs.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    private static func english(_ kind: Mail.Kind) -> Words {
        switch kind {
        case .passwordReset:
            Words(
                subject: "Set a new password for {product}",
                before: [
                    "Somebody asked for a new password for the account {email} at {product}. If it was you, choose one here:"
                ],
                action: "Set a new password",
                after: [
                    "The link works once, within {lifetime}. Do not pass it on.",
                    "If it was not you, there is nothing to do: your password stays as it is.",
                ])
        case .emailVerification:
            Words(
                subject: "Confirm your e-mail address for {product}",
                before: [
                    "The address {email} was given for an account at {product}. If the account is yours, confirm the address here:"
                ],
                action: "Confirm the address",
                after: [
                    "The link works for {lifetime}.",
                    "If you know of no such account, there is nothing to do: the address stays unconfirmed.",
                ])
        case .signInLink:
            Words(
                subject: "Sign in to {product}",
                before: ["Somebody asked to sign in to {product} with the address {email}. If it was you, go on here:"],
                action: "Sign in",
                after: [
                    "The link works once, within {lifetime}. Do not pass it on: it signs in whoever has it.",
                    "If it was not you, there is nothing to do.",
                ])
        case .signInCode:
            Words(
                subject: "Your code for {product}",
                before: [
                    "Somebody asked to sign in to {product} with the address {email}. If it was you, type this code in the app:",
                    "{code}",
                ],
                after: [
                    "The code works once, within {lifetime}. Do not tell it to anybody: nobody else needs it.",
                    "If it was not you, there is nothing to do.",
                ])
        case .signUpAttempted: englishSignUpAttempted
        case .identityLinked, .identityUnlinked, .passwordChanged, .addressChangeRequested, .addressChanged,
            .addressConfirmation, .addressTaken, .changesUndone:
            englishNotice(kind)
        }
    }

    private static func japanese(_ kind: Mail.Kind) -> Words {
        switch kind {
        case .passwordReset:
            Words(
                subject: "{product} パスワードの再設定",
                before: [
                    "{product} のアカウント（{email}）のパスワード再設定を受け付けました。",
                    "お申し込みになった場合は、次のリンクから新しいパスワードを設定してください。",
                ],
                action: "新しいパスワードを設定する",
                after: [
                    "リンクの有効期限は{lifetime}で、使えるのは一度だけです。ほかの人には教えないでください。",
                    "お心当たりがない場合は、何もする必要はありません。パスワードは変わりません。",
                ])
        case .emailVerification:
            Words(
                subject: "{product} メールアドレスの確認",
                before: [
                    "{product} のアカウントに、メールアドレス {email} が登録されました。",
                    "ご自身のアカウントであれば、次のリンクからメールアドレスを確認してください。",
                ],
                action: "メールアドレスを確認する",
                after: [
                    "リンクの有効期限は{lifetime}です。",
                    "お心当たりがない場合は、何もする必要はありません。メールアドレスは未確認のままになります。",
                ])
        case .signInLink:
            Words(
                subject: "{product} へのログイン",
                before: ["メールアドレス {email} で {product} にログインする申し込みがありました。ご自身の場合は、次のリンクからお進みください。"],
                action: "ログインする",
                after: [
                    "リンクの有効期限は{lifetime}で、使えるのは一度だけです。リンクを持つ人は誰でもログインできますので、ほかの人には教えないでください。",
                    "お心当たりがない場合は、何もする必要はありません。",
                ])
        case .signInCode:
            Words(
                subject: "{product} の確認コード",
                before: [
                    "メールアドレス {email} で {product} にログインする申し込みがありました。ご自身の場合は、次のコードをアプリに入力してください。",
                    "{code}",
                ],
                after: [
                    "コードの有効期限は{lifetime}で、使えるのは一度だけです。ほかの人には教えないでください。",
                    "お心当たりがない場合は、何もする必要はありません。",
                ])
        case .signUpAttempted: japaneseSignUpAttempted
        case .identityLinked, .identityUnlinked, .passwordChanged, .addressChangeRequested, .addressChanged,
            .addressConfirmation, .addressTaken, .changesUndone:
            japaneseNotice(kind)
        }
    }

    private static let englishSignUpAttempted =
        Words(
            subject: "You have an account at {product} already",
            before: [
                "Somebody tried to sign up at {product} with the address {email}, which has an account already. If it was you, sign "
                    + "in with your password, or as you did before. If you do not know the password any more, choose another one here:"
            ],
            action: "Set a new password",
            after: [
                "The link works once, within {lifetime}. Do not pass it on.",
                "If it was not you, there is nothing to do: nothing has changed, and whoever it was has learned nothing.",
            ])

    private static let japaneseSignUpAttempted =
        Words(
            subject: "{product} アカウントはすでに登録されています",
            before: [
                "メールアドレス {email} で {product} への新規登録が試みられましたが、このアドレスのアカウントはすでにあります。",
                "ご自身の場合は、これまでの方法でログインしてください。パスワードをお忘れの場合は、次のリンクから新しいパスワードを設定できます。",
            ],
            action: "新しいパスワードを設定する",
            after: [
                "リンクの有効期限は{lifetime}で、使えるのは一度だけです。ほかの人には教えないでください。",
                "お心当たりがない場合は、何もする必要はありません。アカウントは変わらず、相手には何も知らされません。",
            ])
}
