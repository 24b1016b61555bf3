import Identity

extension Settings {
    static let authorization = Section(
        title: "OpenID provider",
        settings: [
            Setting(
                "KIDOBAN_AUTHORIZATION_CODE_LIFETIME", \.authorization.codeLife, .duration(.seconds(10) ... .minutes(10)),
                "How long an authorization code is good, once."),
            Setting(
                "KIDOBAN_AUTHORIZATION_CODE_MEMORY", \.authorization.codeMemory, .duration(.minutes(1) ... .days(1)),
                "How long a used code is remembered: a second use ends what the first has led to."),
            Setting(
                "KIDOBAN_PUSHED_REQUEST_LIFETIME", \.authorization.pushedRequestLife, .duration(.seconds(10) ... .minutes(10)),
                "How long a pushed authorization request waits for its browser."),
            Setting(
                "KIDOBAN_DEVICE_CODE_LIFETIME", \.authorization.deviceCodeLife, .duration(.minutes(1) ... .minutes(30)),
                "How long a device waits for its user."),
            Setting(
                "KIDOBAN_ID_TOKEN_LIFETIME", \.authorization.idTokenLife, .duration(.minutes(1) ... .days(1)),
                "How long an id token is good."),
            Setting(
                "KIDOBAN_DPOP_NONCE", \.authorization.requiresDPoPNonce, .flag,
                "Whether a DPoP proof needs a nonce of the server's; else proofs can be made in advance."),
        ])
}
