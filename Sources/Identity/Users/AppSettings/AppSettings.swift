package import Text

/// What a user has set in an app that speaks the app API, and what no other protocol knows. Stored as JSON; members that are unknown there
/// are left out, missing ones have their default.
package struct AppSettings: Equatable, Sendable {
    package enum Theme: String, Sendable, CaseIterable {
        case dark, light
    }

    package var biometricEnabled: Bool
    package var autoBackup: Bool
    package var theme: Theme

    package init(biometricEnabled: Bool = false, autoBackup: Bool = false, theme: Theme = .dark) {
        self.biometricEnabled = biometricEnabled
        self.autoBackup = autoBackup
        self.theme = theme
    }

    package init(stored: JSONValue) {
        self.init(
            biometricEnabled: stored["biometric_enabled"]?.boolValue ?? false,
            autoBackup: stored["auto_backup"]?.boolValue ?? false,
            theme: stored["theme"]?.stringValue.flatMap { Theme(rawValue: $0) } ?? .dark
        )
    }

    /// The stored form.
    package var stored: JSONValue {
        [
            "biometric_enabled": .bool(biometricEnabled),
            "auto_backup": .bool(autoBackup),
            "theme": .string(theme.rawValue),
        ]
    }

    /// What changes of them; nil leaves a setting as it is.
    package struct Change: Sendable {
        package var biometricEnabled: Bool?
        package var autoBackup: Bool?
        package var theme: Theme?

        package init() {}

        package var isEmpty: Bool {
            biometricEnabled == nil && autoBackup == nil && theme == nil
        }

        /// The members of the stored settings that change.
        var stored: JSONObject {
            var settings = JSONObject()
            settings["biometric_enabled"] = biometricEnabled.map { .bool($0) }
            settings["auto_backup"] = autoBackup.map { .bool($0) }
            settings["theme"] = theme.map { .string($0.rawValue) }
            return settings
        }
    }
}
