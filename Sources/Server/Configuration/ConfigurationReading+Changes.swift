/// What a later reading of the configuration changes.
extension ConfigurationReading {
    /// The settings that this reading has otherwise than an earlier one, in the order of the documentation.
    func changes(since earlier: ConfigurationReading) -> [Setting] {
        let settings = Settings.all(naming: configuration.federation.names)
        let names = Set(settings.map(\.name))
        let former = Settings.all(naming: earlier.configuration.federation.names).filter { !names.contains($0.name) }
        return (settings + former).filter { shown[$0.name].map(\.identity) != earlier.shown[$0.name].map(\.identity) }
    }

    /// A running server's configuration after this reading: the settings that can change while it runs are those of this reading, all
    /// others stay.
    func applied(to running: Configuration) -> Configuration {
        var result = running
        for setting in Settings.all(naming: configuration.federation.names) where setting.reloads {
            setting.transfer(configuration, &result)
        }
        return result
    }
}
