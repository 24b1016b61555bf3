import Postgres

extension Schema {
    /// What only the users of a Firebase project have.
    static let project = Migration(
        version: 9,
        name: "project",
        sql: #"""
            -- A row is made when there is something to say of a user.
            CREATE TABLE project_marks (
                user_id uuid PRIMARY KEY CONSTRAINT project_marks_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
                -- Whether the user has signed in by the link of a mail, and may again.
                signs_in_by_link boolean NOT NULL DEFAULT false,
                -- Whether a server of the project has vouched for the user.
                signs_in_by_custom_token boolean NOT NULL DEFAULT false,
                -- The address that the account had before it was given another one for the first time.
                initial_email text
            );
            """#)

    /// The OpenID and SAML providers that administrators of a Firebase project have written.
    static let projectProviders = Migration(
        version: 10,
        name: "project_providers",
        sql: #"""
            CREATE TABLE project_providers (
                name text COLLATE "C" PRIMARY KEY,
                -- It may have a secret that the provider gave.
                sealed_configuration bytea NOT NULL,
                updated_at timestamptz NOT NULL
            );

            -- Whether a server of the project has vouched for the user when there was no address.
            ALTER TABLE project_marks ADD COLUMN is_vouched_for boolean NOT NULL DEFAULT false;
            """#)
}
