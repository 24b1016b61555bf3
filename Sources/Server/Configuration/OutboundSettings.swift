import Identity
import Outbound

extension Settings {
    static let outbound = Section(
        title: "Other servers",
        settings: [
            Setting(
                "KIDOBAN_CA_FILE", optional: \.outbound.authoritiesFile, .path, fallback: .nothing("the system's authorities"),
                "A PEM file of the authorities to trust for HTTPS to other servers."),
            Setting(
                "KIDOBAN_OUTBOUND_PROXY", optional: \.outbound.proxy, .proxy, fallback: .nothing("none"),
                "The proxy to other servers. Variables such as `https_proxy` are not read."),
            Setting(
                "KIDOBAN_OUTBOUND_CONNECT_TIMEOUT", \.outbound.connectTimeout, .duration(.milliseconds(100) ... .minutes(1)),
                "How long connecting to another server may take, TLS included."),
            Setting(
                "KIDOBAN_OUTBOUND_TIMEOUT", \.outbound.timeout, .duration(.milliseconds(100) ... .minutes(1)),
                "How long an answer of another server may take in all."),
            Setting(
                "KIDOBAN_KEY_REFETCH_INTERVAL", \.keySets.refetchInterval, .duration(.seconds(1) ... .hours(1)),
                "How often unknown keys in tokens have a provider's keys fetched: five times at once, then once each "
                    + "interval."),
            Setting(
                "KIDOBAN_KEY_SET_MEMORY", \.keySets.rememberedLifetime, .duration(.zero ... .days(2)),
                "How long fetched keys in PostgreSQL serve a process that starts while the provider's key server is "
                    + "away. 0s: not at all."),
            Setting(
                "KIDOBAN_OUTBOUND_CALLS_PER_ADDRESS", \.providerTokens.callsPerAddress, .count(1...64),
                "Calls to a provider for one client address at once, on a loop; more get 503."),
        ])
}

extension SettingFormat where Value == String {
    /// Where requests to other servers go first.
    static var proxy: SettingFormat {
        SettingFormat(
            "a URL such as http://proxy.example.com:3128, without user name and password",
            parse: { text throws(SettingRefusal) in
                guard text.utf8.starts(with: "http://".utf8) else { throw SettingRefusal("does not begin with http://") }
                let address = text.dropFirst(7)
                guard let colon = address.lastIndex(of: ":"), UInt16(address[address.index(after: colon)...]) ?? 0 > 0 else {
                    throw SettingRefusal("has no port")
                }
                let host = address[..<colon]
                guard !host.isEmpty, host.utf8.allSatisfy({ $0.isUnreserved || [0x3A, 0x5B, 0x5D].contains($0) }) else {
                    throw SettingRefusal("has a character that no host has")
                }
                return text
            },
            render: { value, _ in value })
    }
}
