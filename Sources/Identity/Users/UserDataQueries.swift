package import Postgres

/// The SQL of what a user may ask for: all that is stored of them, and no secret.
package enum UserDataQueries {
    /// Tables with a user's data whose rows the document has, and their columns that it withholds: secrets, and our own bookkeeping.
    package static let withheld: [String: Set<String>] = [
        "users": ["password_hash", "credentials_version"],
        "user_aliases": ["user_id"],
        "app_settings": ["user_id"],
        "profiles": ["user_id", "username_folded"],
        "project_marks": ["user_id"],
        "consents": ["user_id"],
        "identities": ["user_id", "proofs_void_before", "standing_changed_at"],
        // Of mails, some under names of their own.
        "jobs": ["user_id", "topic", "payload", "sealed", "due_at", "gives_up_at", "turn", "leased_until", "done_at"],
        "provider_tokens": ["sealed_token"],
        "account_changes": ["number", "user_id", "code_digest", "sealed_before"],
    ]

    /// In UTC, as every other instant that we write.
    private static func instant(_ column: SQL) -> SQL {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    /// Parameter: the user's id. Returns one document: `user`, `profile`, `app_settings` and `project_marks` or null, and the arrays `user_aliases`,
    /// `identities`, `provider_tokens`, `consents`, `mails` and `account_changes`.
    package static let data = Statement(
        name: "user_data",
        sql: """
            SELECT json_build_object('user', \(user), 'profile', \(profile), 'app_settings', \(appSettings), 'project_marks', \(marks),
                'user_aliases', \(aliases), 'identities', \(identities),
                'provider_tokens', \(providerTokens), 'consents', \(consents), 'mails', \(mail),
                'account_changes', \(changes))::text
            FROM users u WHERE u.id = $1::uuid
            """, retryable: true)

    private static let user: SQL = """
        json_build_object(
            'id', u.id, 'email', u.email, 'email_normalized', u.email_normalized, 'email_verified', u.email_verified,
            'email_claimed', u.email_claimed, 'email_confirmed_at', \(instant("u.email_confirmed_at")),
            'has_password', u.password_hash IS NOT NULL, 'display_name', u.display_name, 'photo_url', u.photo_url,
            'phone_number', u.phone_number, 'is_anonymous', u.is_anonymous, 'claims', u.claims, 'roles', u.roles,
            'tokens_valid_after', \(instant("u.tokens_valid_after")), 'disabled_at', \(instant("u.disabled_at")),
            'created_at', \(instant("u.created_at")), 'updated_at', \(instant("u.updated_at")),
            'last_sign_in_at', \(instant("u.last_sign_in_at")))
        """

    private static let profile: SQL = """
        (SELECT json_build_object(
            'number', number, 'username', username, 'first_name', first_name, 'last_name', last_name)
        FROM profiles WHERE user_id = u.id)
        """

    private static let appSettings: SQL =
        "(SELECT json_build_object('settings', settings) FROM app_settings WHERE user_id = u.id)"

    private static let marks: SQL = """
        (SELECT json_build_object(
            'signs_in_by_link', signs_in_by_link, 'signs_in_by_custom_token', signs_in_by_custom_token, 'is_vouched_for', is_vouched_for,
            'initial_email', initial_email)
        FROM project_marks WHERE user_id = u.id)
        """

    private static let aliases: SQL = """
        (SELECT coalesce(json_agg(json_build_object('source', source, 'id', id, 'created_at', \(instant("created_at"))) ORDER BY source), '[]')
        FROM user_aliases WHERE user_id = u.id)
        """

    private static let identities: SQL = """
        (SELECT coalesce(json_agg(json_build_object(
            'provider', provider, 'subject', subject, 'audience', audience, 'email', email, 'email_verified', email_verified,
            'is_private_email', is_private_email, 'mail_forwarding', mail_forwarding,
            'mail_forwarding_changed_at', \(instant("mail_forwarding_changed_at")), 'blocked_at', \(instant("blocked_at")),
            'created_at', \(instant("created_at")), 'last_used_at', \(instant("last_used_at"))
            ) ORDER BY created_at, provider, subject), '[]')
        FROM identities WHERE user_id = u.id)
        """

    private static let providerTokens: SQL = """
        (SELECT coalesce(json_agg(json_build_object(
            'provider', provider, 'subject', subject, 'client_id', client_id, 'obtained_at', \(instant("obtained_at"))
            ) ORDER BY obtained_at, provider, subject), '[]')
        FROM provider_tokens JOIN identities USING (provider, subject) WHERE user_id = u.id)
        """

    private static let consents: SQL = """
        (SELECT coalesce(json_agg(json_build_object(
            'client_id', client_id, 'scopes', scopes, 'granted_at', \(instant("granted_at"))) ORDER BY client_id), '[]')
        FROM consents WHERE user_id = u.id)
        """

    private static let mail: SQL = """
        (SELECT coalesce(json_agg(json_build_object(
            'id', id, 'kind', topic, 'recipient', payload ->> 'recipient', 'language', payload ->> 'language', 'attempts', attempts,
            'created_at', \(instant("created_at")), 'expires_at', \(instant("gives_up_at")), 'sent_at', \(instant("done_at")),
            'given_up_at', \(instant("given_up_at")), 'last_failure', last_failure) ORDER BY id), '[]')
        FROM jobs WHERE user_id = u.id AND kind = 'mail')
        """

    private static let changes: SQL = """
        (SELECT coalesce(json_agg(json_build_object(
            'id', id, 'kind', kind, 'created_at', \(instant("created_at")), 'expires_at', \(instant("expires_at")),
            'undone_at', \(instant("undone_at"))) ORDER BY number), '[]')
        FROM account_changes WHERE user_id = u.id)
        """
}
