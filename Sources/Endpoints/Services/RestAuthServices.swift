package import Identity

/// What the rest-auth door needs beside the rooms that all doors share.
package struct RestAuthServices: Sendable {
    package let options: RestAuthOptions
    /// In whose name its sessions begin.
    package let client: Client
    package let profiles: ProfileStore
    package let tokens: SharedSecretTokens
    package let ambience: Ambience

    package init(
        options: RestAuthOptions, client: Client, profiles: ProfileStore,
        tokens: SharedSecretTokens, ambience: Ambience
    ) {
        self.options = options
        self.client = client
        self.profiles = profiles
        self.tokens = tokens
        self.ambience = ambience
    }
}
