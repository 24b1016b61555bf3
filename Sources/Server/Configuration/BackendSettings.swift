import Endpoints
package import Identity
import Networking

extension Settings {
    static let backends = Section(
        title: "Backends and gateways",
        settings: [
            Setting(
                "KIDOBAN_VERIFY_FROM", \.backends.verifyFrom, .callerNetworks,
                "Networks whose gateways may ask `/oauth2/verify` without a secret, each with its client, which needs "
                    + "`--introspect`."),
            Setting(
                "KIDOBAN_VERIFY_FROM_ANYBODY", \.backends.isVerifyOpenToAnybody, .flag,
                "Whether that may have a network such as 0.0.0.0/0."),
            Setting(
                "KIDOBAN_VERIFY_COOKIE", \.backends.verifiesCookies, .flag,
                "Whether `/oauth2/verify` also takes session cookies."),
            Setting(
                "KIDOBAN_REVOCATION_FEED", \.backends.tellsRevocations, .flag,
                "Whether `/oauth2/revocations` tells backends what ends early. Each end costs one round trip to Redis "
                    + "more."
            ),
            Setting(
                "KIDOBAN_REVOCATION_FEED_LENGTH", \.backends.revocationLength, .count(1000...10_000_000),
                "About how many ends Redis keeps for backends that come back; 250 bytes each."),
            Setting(
                "KIDOBAN_REVOCATION_LISTENERS", \.backends.revocationListeners, .count(1...100_000),
                "Backends that may listen to one copy; one client gets half at most."),
            Setting(
                "KIDOBAN_HOT_TOKENS", \.backends.hotTokens, .size(0...(64 << 30)),
                "Memory in which a copy keeps what Redis has said of access tokens, until Redis tells of a change. 0: "
                    + "none."),
        ])
}

extension Configuration {
    /// What is asked by who gets tokens with its requests.
    package struct Backends: Sendable {
        package var verifyFrom: [CallerNetworks.Network] = []
        package var isVerifyOpenToAnybody = false
        package var verifiesCookies = false
        package var tellsRevocations = true
        package var revocationLength = 20_000
        package var revocationListeners = 512
        /// Bytes of all loops together; zero for no memory.
        package var hotTokens = 0

        package init() {}
    }

    var oauthOptions: OAuth.Options {
        var options = OAuth.Options()
        options.verifyNetworks = CallerNetworks(backends.verifyFrom)
        if backends.verifiesCookies { options.verifiedCookie = cookies.policy(issuer: issuer).name }
        return options
    }
}

extension SettingFormat where Value == [CallerNetworks.Network] {
    /// Networks, and what their hosts are taken for.
    static var callerNetworks: SettingFormat {
        list(
            "nothing, or networks and ids of clients such as 10.1.0.0/16=gateway, with commas between them", acceptsEmpty: true,
            of: { text throws(SettingRefusal) in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let client = ClientID(String(parts[1])) else {
                    throw SettingRefusal("has an element without the id of a client")
                }
                return CallerNetworks.Network(try AddressBlock(ofSetting: String(parts[0])), client)
            }, render: { "\($0.block)=\($0.client)" })
    }
}
