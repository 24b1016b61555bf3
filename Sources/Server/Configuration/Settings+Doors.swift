import Endpoints

extension Settings {
    static let doors = Section(
        title: "Doors",
        settings: [
            Setting(
                "KIDOBAN_DOORS", \.doors.open, .doors,
                "The client protocols that are served; see `docs/doors.md`. A path of one that is not is not found."),
            Setting(
                "KIDOBAN_ECHOLOG_LEGACY_UNVERIFIED_OAUTH", \.doors.believesUnprovedIdentities, .flag,
                "For demonstrations: the app API believes a client who somebody is at a provider, without a proof. Anybody can then "
                    + "sign in as anybody, so it is refused unless `KIDOBAN_ISSUER` is on this machine."),
            Setting(
                "KIDOBAN_ECHOLOG_VERIFICATION_MAIL", \.doors.mailsVerification, .flag,
                "Whether who signs up in the app API gets a mail to confirm the address. Nobody is kept from signing in by it. None is "
                    + "sent while there is no page for its link: the door `pages`, or `KIDOBAN_REST_AUTH_VERIFICATION_LINK`."),
            Setting(
                "KIDOBAN_ECHOLOG_ROTATE", \.doors.rotatesRefreshTokens, .flag,
                "Whether each refresh in the app API gives a new refresh token, so that a copied one shows itself. Without, only sessions do "
                    + "whose app sends `rotate`, because the contract's app keeps its first refresh token for ever."),
        ] + prefixes)

    private static let prefixes = DoorKind.all.compactMap { kind in
        kind.prefixSetting.map { name in
            Setting(name, \.doors[prefixOf: kind.name], .pathPrefix, "What the paths of the \(kind.title) start with.")
        }
    }
}
