package import Identity

extension Configuration {
    /// The identity providers whose word counts.
    package struct Federation: Sendable {
        /// Those that are switched on: each has at least one client id.
        package var providers: [IdentityProvider] = []

        package init() {}
    }
}
