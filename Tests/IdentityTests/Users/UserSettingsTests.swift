import Identity
import Testing
import Text

@Suite struct UserSettingsTests {
    @Test func `settings are read as they were stored`() {
        let settings = UserSettings(biometricEnabled: true, autoBackup: true, theme: .light)
        #expect(UserSettings(stored: settings.stored) == settings)
    }

    @Test(arguments: [[:], .null, ["theme": "pink", "auto_backup": "yes", "more": 1], [1, 2]] as [JSONValue])
    func `what is missing or damaged has its default`(stored: JSONValue) {
        #expect(UserSettings(stored: stored) == UserSettings(biometricEnabled: false, autoBackup: false, theme: .dark))
    }
}
