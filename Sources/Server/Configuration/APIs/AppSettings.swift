import Endpoints

extension Settings {
    /// Those of the app API, among the APIs' own.
    static let app = [
        Setting(
            "KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH", \.app.believesUnprovedIdentities, .flag,
            "For demonstrations: the app API takes a provider's user without proof. Only with `KIDOBAN_ISSUER` on this "
                + "machine."),
        Setting(
            "KIDOBAN_ECHOLOG_VERIFICATION_MAIL", \.app.mailsVerification, .flag,
            "Whether a sign-up in the app API sends a mail that confirms the address."),
        Setting(
            "KIDOBAN_APP_RESET_LINK", optional: \.app.explicitResetLink, .link(["{code}"]),
            fallback: .derived("a page of Kidoban's own", { $0.placedApp.resetLink }),
            "The link in the app API's mails for a new password; its code goes to `POST /auth/password/reset/confirm`. "
                + "Without it, `KIDOBAN_REST_AUTH_RESET_LINK` counts if that has no `{uid}`."
        ),
        Setting(
            "KIDOBAN_APP_VERIFICATION_LINK", optional: \.app.explicitVerificationLink, .link(["{code}"]),
            fallback: .derived("a page of Kidoban's own", { $0.placedApp.verificationLink }),
            "The link in mails that confirm an address; its code goes to `POST /auth/email/verification/confirm`. "
                + "Without it, `KIDOBAN_REST_AUTH_VERIFICATION_LINK` counts."),
        Setting(
            "KIDOBAN_APP_ADDRESS_LINK", optional: \.app.explicitAddressLink, .link(["{code}"]),
            fallback: .derived("a page of Kidoban's own", { $0.placedApp.addressLink }),
            "The link in the mail to a new address; its code goes to `POST /auth/email/confirm`."
        ),
        Setting(
            "KIDOBAN_APP_DELETE_IN_OLD_SESSIONS", \.app.deletesInOldSessions, .flag,
            "Whether `DELETE /auth/me` works in a session of any age, not only within `KIDOBAN_RECENT_SIGN_IN`."
        ),
        Setting(
            "KIDOBAN_ECHOLOG_ROTATE", \.apis.rotatesRefreshTokens, .flag,
            "Whether each refresh in the app API gives a new refresh token; else only if the app sends `rotate`."),
    ]
}

extension Configuration {
    /// What the app API was set to, and where our own pages are. A page of the team's that takes what the links of the rest-auth API have
    /// serves both.
    var placedApp: AppAPI.Options {
        var options = app
        options.pages = issuer + apis[prefixOf: Pages.name]
        if options.explicitVerificationLink == nil {
            options.explicitVerificationLink = restAuth.explicitVerificationLink?.replacing("{key}", with: "{code}")
        }
        if options.explicitResetLink == nil, let link = restAuth.explicitResetLink, !link.contains("{uid}") {
            options.explicitResetLink = link.replacing("{token}", with: "{code}")
        }
        return options
    }
}
