import Endpoints
import Identity

extension Worker {
    /// What the rest-auth door needs beside the rooms that all doors share.
    static func restAuth(
        _ shared: SharedParts, profiles: ProfileStore
    ) -> RestAuthServices {
        RestAuthServices(
            options: shared.configuration.placedRestAuth, client: shared.restAuth, profiles: profiles,
            tokens: shared.sharedSecretTokens, ambience: shared.ambience)
    }
}

extension Configuration {
    /// What the rest-auth door was set to, and where the installation and its pages are.
    var placedRestAuth: RestAuthOptions {
        var options = restAuth
        options.site = issuer
        options.pages = doors.open.contains(PagesDoor.name) ? doors[prefixOf: PagesDoor.name] : nil
        return options
    }
}
