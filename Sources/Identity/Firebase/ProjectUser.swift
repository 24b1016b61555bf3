import Postgres
import Text

/// A user as the clients of a Firebase project know one: by the id that the project has given, with every way in.
package struct ProjectUser: Sendable {
    /// The system whose ids are `localID`s, among the aliases of users.
    package static let aliasSource = "firebase"

    /// A link to a provider.
    package struct Identity: Sendable {
        package let provider: ProviderID
        package let subject: String
        package let email: String?
    }

    package let user: User
    /// What an import or an administrator has chosen, else the user's own id.
    package let localID: String
    package let hasPassword: Bool
    /// The oldest first.
    package let identities: [Identity]
    package let marks: Marks

    /// What only this protocol knows of a user.
    package struct Marks: Sendable {
        /// Whether the user has signed in by the link of a mail, and may again.
        package var signsInByLink = false
        /// Whether a server of the project has vouched for the user.
        package var signsInByCustomToken = false
        /// The address that the account had before it was given another one for the first time.
        package var initialEmail: String?
    }
}

/// Whom to look up: whoever is named in one of these ways.
package struct ProjectUserNames: Sendable {
    package var localIDs: [String] = []
    package var emails: [String] = []
    package var phoneNumbers: [String] = []
    package var identities: [(provider: String, subject: String)] = []

    package init(localIDs: [String] = [], emails: [String] = []) {
        self.localIDs = localIDs
        self.emails = emails
    }

    package init(provider: ProviderID, subject: String) {
        identities = [(provider.text, subject)]
    }

    /// Users that were found, in the order in which they are named: by ids, addresses, numbers, identities.
    package func ordered(_ users: [ProjectUser]) -> [ProjectUser] {
        var left = users
        var ordered: [ProjectUser] = []
        func take(_ isNamed: (ProjectUser) -> Bool) {
            guard let index = left.firstIndex(where: isNamed) else { return }
            ordered.append(left.remove(at: index))
        }
        for id in localIDs { take { $0.localID == id || UserID(id) == $0.user.id } }
        for email in emails.compactMap({ try? EmailAddress($0).normalized }) { take { $0.user.email?.normalized == email } }
        for number in phoneNumbers { take { $0.user.phoneNumber == number } }
        for identity in identities {
            take { user in
                user.identities.contains { $0.provider.text == identity.provider && $0.subject == identity.subject }
            }
        }
        return ordered + left
    }

    package var count: Int { localIDs.count + emails.count + phoneNumbers.count + identities.count }

    package init(phoneNumber: String) {
        phoneNumbers = [phoneNumber]
    }
}

/// By what a list is sorted.
package enum ProjectUserOrder: String, Sendable {
    case id, name, creation, signIn, email
}

/// The SQL of users as a project knows them.
enum ProjectUserQueries {
    /// Those of `UserQueries`, whether there is a password, the project's id or null, the identities as JSON, the marks as JSON or null.
    private static let columns: SQL = """
        \(UserQueries.columns), password_hash IS NOT NULL,
        (SELECT user_aliases.id FROM user_aliases WHERE user_aliases.user_id = users.id AND source = 'firebase'),
        (
            SELECT coalesce(
                json_agg(
                    json_build_object('provider', provider, 'subject', subject, 'email', identities.email)
                    ORDER BY identities.created_at, provider
                )::text, '[]')
            FROM identities WHERE identities.user_id = users.id
        ),
        (
            SELECT json_build_object('link', signs_in_by_link, 'custom', signs_in_by_custom_token, 'email', initial_email)::text
            FROM project_marks WHERE project_marks.user_id = users.id
        )
        """

    /// Parameters: ids of users, ids of the project, normalised addresses, phone numbers, providers and their subjects.
    static let find = Statement(
        name: "project_users_find",
        sql: """
            SELECT \(columns) FROM users
            WHERE id = ANY (ARRAY(
                SELECT unnest($1::text[])::uuid
                UNION SELECT user_id FROM user_aliases WHERE source = 'firebase' AND user_aliases.id = ANY ($2::text[])
                UNION SELECT named.id FROM users AS named WHERE named.email_normalized = ANY ($3::text[]) AND NOT named.email_claimed
                UNION SELECT named.id FROM users AS named WHERE named.phone_number = ANY ($4::text[])
                UNION SELECT identities.user_id FROM identities
                    JOIN unnest($5::text[], $6::text[]) AS wanted (provider, subject)
                    ON wanted.provider = identities.provider AND wanted.subject = identities.subject
            ))
            ORDER BY users.id
            """, retryable: true)

    /// Looks at every identity. Parameter: a normalised address.
    static let byIdentityEmail = Statement(
        name: "project_users_by_identity_email",
        sql: """
            SELECT \(columns) FROM users
            WHERE id IN (SELECT user_id FROM identities WHERE lower(identities.email) = $1::text) ORDER BY users.id LIMIT 1
            """, retryable: true)

    /// Parameter: id.
    static let byID = Statement(
        name: "project_users_by_id", sql: "SELECT \(columns) FROM users WHERE id = $1::uuid", retryable: true)

    /// Parameters: the id after which the page begins, how many.
    static let page = Statement(
        name: "project_users_page",
        sql: "SELECT \(columns) FROM users WHERE id > $1::uuid ORDER BY users.id LIMIT $2::bigint", retryable: true)

    /// The same in the order of the project's ids, for the few users of an emulator. Parameters: the id after which the page begins, how many.
    static let pageByLocalID = Statement(
        name: "project_users_page_by_local_id",
        sql: """
            WITH named AS (
                SELECT users.id AS named_id,
                    coalesce(
                        (SELECT user_aliases.id FROM user_aliases WHERE user_aliases.user_id = users.id AND source = 'firebase'),
                        users.id::text) COLLATE "C" AS local_id
                FROM users
            )
            SELECT \(columns) FROM users JOIN named ON named.named_id = users.id
            WHERE local_id > $1::text ORDER BY local_id LIMIT $2::bigint
            """, retryable: true)

    /// Parameters: what to sort by, whether it is the other way round, how many, after how many.
    static let sorted = Statement(
        name: "project_users_sorted",
        sql: """
            WITH keyed AS (
                SELECT users.id AS key_id, CASE $1::text
                    WHEN 'name' THEN display_name
                    WHEN 'email' THEN email_normalized
                    WHEN 'creation' THEN to_char(created_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')
                    WHEN 'signIn' THEN to_char(last_sign_in_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')
                    ELSE users.id::text
                END AS key FROM users
            ), chosen AS (
                SELECT key_id, row_number() OVER (
                    ORDER BY CASE WHEN $2::boolean THEN NULL ELSE key END ASC NULLS LAST,
                        CASE WHEN $2::boolean THEN key END DESC NULLS LAST, key_id
                ) AS place FROM keyed
                ORDER BY place LIMIT $3::bigint OFFSET $4::bigint
            )
            SELECT \(columns) FROM users JOIN chosen ON chosen.key_id = users.id ORDER BY chosen.place
            """, retryable: true)

    static let count = Statement(name: "project_users_count", sql: "SELECT count(*) FROM users", retryable: true)

    static func user(_ row: Row) throws(PostgresError) -> ProjectUser {
        let user = try UserStore.user(row)
        let first = UserQueries.columnCount
        let identities = try? JSON.parse(try row.string(first + 2)).arrayValue
        guard let identities else { throw .unexpectedColumn(first + 2) }
        return ProjectUser(
            user: user, localID: try row.optionalString(first + 1) ?? user.id.description, hasPassword: try row.bool(first),
            identities: identities.compactMap { value in
                guard let provider = value["provider"]?.stringValue.flatMap({ ProviderID($0) }),
                    let subject = value["subject"]?.stringValue
                else { return nil }
                return ProjectUser.Identity(provider: provider, subject: subject, email: value["email"]?.stringValue)
            }, marks: try marks(row.optionalString(first + 3)))
    }

    private static func marks(_ text: String?) -> ProjectUser.Marks {
        guard let stored = text.flatMap({ try? JSON.parse($0) }) else { return ProjectUser.Marks() }
        return ProjectUser.Marks(
            signsInByLink: stored["link"] == true, signsInByCustomToken: stored["custom"] == true,
            initialEmail: stored["email"]?.stringValue)
    }
}
