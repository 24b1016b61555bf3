import Endpoints
import Identity

extension Worker {
    /// What the rest-auth API needs beside the parts that all APIs share.
    static func restAuth(
        _ shared: SharedParts, profiles: ProfileStore
    ) -> RestAuth.Parts {
        RestAuth.Parts(
            options: shared.configuration.placedRestAuth, client: shared.restAuth, profiles: profiles,
            tokens: shared.sharedSecretTokens, system: shared.system)
    }
}

extension Configuration {
    /// Whether an API is open. That of the pages also is while mails of the app API lead to them.
    func serves(_ api: String) -> Bool {
        apis.open.contains(api) || api == Pages.name && apis.open.contains("app") && placedApp.needsPages
    }

    /// What the app API was set to, and where our own pages are. A page of the team's that takes what the links of the rest-auth API have
    /// serves both.
    var placedApp: AppAPI.Options {
        var options = app
        options.pages = issuer + apis[prefixOf: Pages.name]
        options.mailsVerification = apis.mailsVerification
        options.believesUnprovedIdentities = apis.believesUnprovedIdentities
        if options.explicitVerificationLink == nil {
            options.explicitVerificationLink = restAuth.explicitVerificationLink?.replacing("{key}", with: "{code}")
        }
        if options.explicitResetLink == nil, let link = restAuth.explicitResetLink, !link.contains("{uid}") {
            options.explicitResetLink = link.replacing("{token}", with: "{code}")
        }
        return options
    }

    /// What the rest-auth API was set to, and where the installation and its pages are.
    var placedRestAuth: RestAuth.Options {
        var options = restAuth
        options.site = issuer
        options.pages = apis.open.contains(Pages.name) ? apis[prefixOf: Pages.name] : nil
        return options
    }

    /// How long changes of the ways in can be undone, and where.
    var noticePolicy: AccountNotices.Policy {
        var policy = AccountNotices.Policy(lifetime: mail.undoLifetime)
        if serves(Pages.name) {
            let (site, prefix) = (issuer, apis[prefixOf: Pages.name])
            policy.link = { code in PagePath.undoLink(site: site, prefix: prefix, code) }
        }
        return policy
    }
}
