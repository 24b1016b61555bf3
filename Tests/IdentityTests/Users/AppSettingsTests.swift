import Identity
import Testing
import Text

@Suite struct AppSettingsTests {
    @Test func `settings are read as they were stored`() {
        let settings = AppSettings(biometricEnabled: true, autoBackup: true, theme: .light)
        #expect(AppSettings(stored: settings.stored) == settings)
    }

    @Test(arguments: [[:], .null, ["theme": "pink", "auto_backup": "yes", "more": 1], [1, 2]] as [JSONValue])
    func `what is missing or damaged has its default`(stored: JSONValue) {
        #expect(AppSettings(stored: stored) == AppSettings(biometricEnabled: false, autoBackup: false, theme: .dark))
    }
}
