import Identity
import Routing
import Text

extension AppAPI {
    /// A user in this API's words. `id`, `email`, `created_at` and `updated_at` are in every one; what is not set is absent.
    enum UserObject {
        static func write(_ user: User, _ settings: AppSettings, to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("id", user.id.description)
            writer.member("email", user.email?.typed ?? "")
            if let name = user.displayName { writer.member("name", name.text) }
            if let provider = user.firstProvider { writer.member("oauth_provider", provider.text) }
            if let photoURL = user.photoURL { writer.member("photo_url", photoURL.text) }
            writer.member("email_verified", user.emailVerified)
            writer.key("settings")
            writer.beginObject()
            writer.member("biometric_enabled", settings.biometricEnabled)
            writer.member("auto_backup", settings.autoBackup)
            writer.member("theme", settings.theme.rawValue)
            writer.endObject()
            writer.member("created_at", user.createdAt)
            writer.member("updated_at", user.updatedAt)
            writer.endObject()
        }

        static let schema = Schema.object([
            .required("id", .uuid),
            .required("email", .anyOf([.email, .constant("")]).described("As it was typed; empty for a user who has none.")),
            .optional("name", .string(1...200)), .optional("photo_url", .url),
            .optional("oauth_provider", .string.described("Of the oldest of the user's identities.")),
            .required("email_verified", .boolean),
            .required("settings", settings), .required("created_at", .time), .required("updated_at", .time),
        ]).named("User")

        private static let settings = Schema.object([
            .required("biometric_enabled", .boolean), .required("auto_backup", .boolean), .required("theme", theme),
        ])

        static let theme = Schema.choice(AppSettings.Theme.allCases.map(\.rawValue))
    }
}

extension Services {
    /// What only this API knows of its users.
    var appSettings: AppSettingsStore { AppSettingsStore(pool: postgres) }
}
