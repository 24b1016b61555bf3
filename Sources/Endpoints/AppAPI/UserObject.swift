import Identity
import Text

/// A user in this door's words. `id`, `email`, `created_at` and `updated_at` are in every one; what is not set is absent.
enum UserObject {
    static func write(_ user: User, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", user.id.description)
        writer.member("email", user.email.typed)
        if let name = user.displayName { writer.member("name", name.text) }
        if let photoURL = user.photoURL { writer.member("photo_url", photoURL.text) }
        writer.member("email_verified", user.emailVerified)
        writer.key("settings")
        writer.beginObject()
        writer.member("biometric_enabled", user.settings.biometricEnabled)
        writer.member("auto_backup", user.settings.autoBackup)
        writer.member("theme", user.settings.theme.rawValue)
        writer.endObject()
        writer.member("created_at", user.createdAt)
        writer.member("updated_at", user.updatedAt)
        writer.endObject()
    }
}
