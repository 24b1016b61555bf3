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
    /// Whether a door is open. That of the pages also is while mails of the app API lead to them.
    func serves(_ door: String) -> Bool {
        doors.open.contains(door) || door == PagesDoor.name && doors.open.contains("app") && placedApp.needsPages
    }

    /// What the app API was set to, and where our own pages are. A page of the team's that takes what the links of the rest-auth API have
    /// serves both.
    var placedApp: AppOptions {
        var options = app
        options.pages = issuer + doors[prefixOf: PagesDoor.name]
        if options.explicitVerificationLink == nil {
            options.explicitVerificationLink = restAuth.explicitVerificationLink?.replacing("{key}", with: "{code}")
        }
        if options.explicitResetLink == nil, let link = restAuth.explicitResetLink, !link.contains("{uid}") {
            options.explicitResetLink = link.replacing("{token}", with: "{code}")
        }
        return options
    }

    /// What the rest-auth door was set to, and where the installation and its pages are.
    var placedRestAuth: RestAuthOptions {
        var options = restAuth
        options.site = issuer
        options.pages = doors.open.contains(PagesDoor.name) ? doors[prefixOf: PagesDoor.name] : nil
        return options
    }

    /// How long changes of the ways in can be undone, and where.
    var noticePolicy: AccountNotices.Policy {
        var policy = AccountNotices.Policy(lifetime: mail.undoLifetime)
        if serves(PagesDoor.name) {
            let (site, prefix) = (issuer, doors[prefixOf: PagesDoor.name])
            policy.link = { code in PagePath.undoLink(site: site, prefix: prefix, code) }
        }
        return policy
    }
}
