package import Identity

extension RestAuth {
    /// What the rest-auth API needs beside the parts that all APIs share.
    package struct Parts: Sendable {
        package let options: Options
        /// In whose name its sessions begin.
        package let client: Client
        package let profiles: ProfileStore
        package let tokens: SharedSecretTokens
        package let system: SystemContext

        package init(
            options: Options, client: Client, profiles: ProfileStore,
            tokens: SharedSecretTokens, system: SystemContext
        ) {
            self.options = options
            self.client = client
            self.profiles = profiles
            self.tokens = tokens
            self.system = system
        }
    }
}
