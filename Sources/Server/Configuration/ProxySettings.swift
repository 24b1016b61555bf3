import HTTP
import Networking

extension Settings {
    static let proxies = Section(
        title: "Proxies",
        settings: [
            Setting(
                "KIDOBAN_TRUSTED_PROXIES", \.http.proxies.blocks, .addressBlocks,
                "The balancers in front, by the addresses that they connect from. Only they may name a client."),
            Setting(
                "KIDOBAN_FORWARDED_HEADER", \.http.proxies.field, .choice([.xForwardedFor, .forwarded]),
                "The header in which they name the client: that which they overwrite or append to. The other is not read."),
            Setting(
                "KIDOBAN_PROXY_PROTOCOL", \.http.proxies.proxyProtocol, .choice([.off, .on]),
                "Whether their connections begin with a PROXY header, version 1 or 2. With `on`, those without are "
                    + "closed."),
        ]
    ).reloadable
}

extension SettingFormat where Value == [AddressBlock] {
    static var addressBlocks: SettingFormat {
        list(
            "nothing, or addresses and networks with commas between them, such as 10.0.0.10, 172.16.0.0/12 or fd00::/8",
            acceptsEmpty: true,
            of: { text throws(SettingRefusal) in
                let block = try AddressBlock(ofSetting: text)
                guard !block.isAsGoodAsEverybody else {
                    throw SettingRefusal(
                        "has a network with a prefix shorter than /\(block.shortestPrefix), which is as good as everybody: anybody "
                            + "could claim any address")
                }
                return block
            }, render: { $0.description })
    }
}

extension AddressBlock {
    /// Reads one element of a list.
    init(ofSetting text: String) throws(SettingRefusal) {
        do throws(Failure) {
            try self.init(text)
        } catch {
            switch error {
            case .malformed: throw SettingRefusal("has an element that is neither an address nor a network")
            case .bitsBehindPrefix:
                throw SettingRefusal("has a network with bits behind its prefix, like 10.1.2.3/8 for 10.0.0.0/8")
            }
        }
    }

    /// The shortest that still means somebody: `10.0.0.0/8` and `fc00::/7` are the largest private networks.
    var shortestPrefix: Int {
        switch first {
        case .v4: 8
        case .v6: 7
        }
    }

    var isAsGoodAsEverybody: Bool { prefixLength < shortestPrefix }
}
