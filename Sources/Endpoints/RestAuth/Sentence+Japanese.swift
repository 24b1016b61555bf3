import Identity

/// The sentences in Japanese.
extension RestAuth.Sentence {
    /// Those that Django, its REST framework and allauth have; nil for the others.
    var japanese: String? {
        switch self {
        case .required: "この項目は必須です。"
        case .null: "この項目はnullにできません。"
        case .blank: "この項目は空にできません。"
        case .nullCharacters: "何か文字を入力してください。"
        case .tooLong(let maximum): "この項目が\(maximum)文字より長くならないようにしてください。"
        case .invalidEmail: "有効なメールアドレスを入力してください。"
        case .invalidUsername: "有効なユーザー名を入力してください。半角英数、 @/./+/-/_ を使用できます。"
        case .usernameTaken: "同じユーザー名が既に登録済みです。"
        case .emailTaken: "他のユーザーがこのメールアドレスを使用しています。"
        case .password(let reason): Self.japanese(reason)
        case .formMismatch: "確認用パスワードが一致しません。"
        case .notDictionary(let type): "不正なデータです。\(type) 型ではなく辞書を入力してください。"
        case .notProvided: "認証情報が含まれていません。"
        case .invalidToken: "不正なトークンです。"
        case .inactiveUser: "ユーザが無効か削除されています。"
        case .tokenHeader(.empty): "不正なトークンヘッダです。認証情報が含まれていません。"
        case .tokenHeader(.spaces): "不正なトークンヘッダです。トークン文字列に空白を含めてはいけません。"
        case .tokenHeader(.characters): "不正なトークンヘッダです。トークン文字列に不正な文字を含めてはいけません。"
        case .lastSignInMethod: "アカウントにパスワードを設定する必要があります。"
        case .socialAccountTaken: "この外部アカウントは他のアカウントにリンクされています。"
        case .methodNotAllowed(let method): "メソッド \"\(method)\" は許されていません。"
        case .notFound: "見つかりませんでした。"
        case .unsupportedMediaType(let type): "リクエストのメディアタイプ \"\(type)\" はサポートされていません。"
        // The framework has Japanese for the first half only.
        case .throttled(let seconds): "リクエストの処理は絞られました。\(seconds)秒後にもう一度お試しください。"
        case .forbidden: "このアクションを実行する権限がありません。"
        case .serverError: "サーバエラーが発生しました。"
        default: nil
        }
    }

    /// Our own translation of what rest-auth says in English only.
    var ownJapanese: String? {
        switch self {
        case .registrationMismatch: "確認用パスワードが一致しません。"
        case .wrongOldPassword: "現在のパスワードが正しくありません。"
        case .invalidValue, .incorrectValue: "無効な値です。"
        case .invalidCredentials: "提供された認証情報でログインできません。"
        case .accountDisabled: "ユーザアカウントが無効化されています。"
        case .notString: "有効な文字列ではありません。"
        case .emailNotVerified: "メールアドレスが確認されていません。"
        case .mustInclude(.email): "メールアドレスとパスワードを入力してください。"
        case .mustInclude(.username): "ユーザー名とパスワードを入力してください。"
        case .mustInclude(.either): "ユーザー名またはメールアドレスと、パスワードを入力してください。"
        case .noData: "データが送信されていません。"
        case .socialEmailTaken: "他のユーザーがこのメールアドレスを使用しています。"
        case .loggedOut: "ログアウトしました。"
        case .passwordSaved: "新しいパスワードを保存しました。"
        case .resetSent: "パスワード再設定のメールを送信しました。"
        case .passwordReset: "新しいパスワードを設定しました。"
        case .verificationSent: "確認メールを送信しました。"
        case .disconnected: "ソーシャルアカウントの接続を解除しました。"
        case .unavailable: "サービスを一時的に利用できません。しばらくしてからもう一度お試しください。"
        default: nil
        }
    }

    private static func japanese(_ reason: InputProblem.Reason) -> String {
        switch reason {
        case .tooShort(let minimum): "このパスワードは短すぎます。最低 \(minimum) 文字以上必要です。"
        case .commonPassword: "このパスワードは一般的すぎます。"
        case .entirelyNumeric: "このパスワードは数字しか使われていません。"
        case .resembles(let field): "このパスワードは \(japaneseName(field)) と似すぎています。"
        case .passwordEqualsEmail: "このパスワードは \(japaneseName(.email)) と似すぎています。"
        case .tooLong(let maximum): "この項目が\(maximum)文字より長くならないようにしてください。"
        case .forbiddenCharacter: "null文字を含めることはできません。"
        case .malformed: "有効な文字列ではありません。"
        case .missing: "この項目は必須です。"
        }
    }

    private static func japaneseName(_ field: InputProblem.Field) -> String {
        switch field {
        case .email: "メールアドレス"
        case .username: "ユーザー名"
        case .firstName: "名"
        case .lastName: "姓"
        case .password, .displayName, .photoURL: "ユーザー"
        }
    }
}
