import HTTP

/// Whether the server knows its clients by their own addresses.
enum ProxiesCheck {
    static let name = "proxies"

    static func finding(of configuration: Configuration) -> Finding {
        let proxies = configuration.http.proxies
        guard proxies.blocks.isEmpty else {
            let source = proxies.proxyProtocol == .on ? "the PROXY protocol" : proxies.field.rawValue
            return Finding(
                name, .ok, "clients' addresses come from \(source), by \(proxies.blocks.count) trusted addresses or networks")
        }
        // The server speaks no TLS: somebody in front of it does.
        guard configuration.issuer.hasPrefix("https:") else { return Finding(name, .ok, "none, clients connect by themselves") }
        return Finding(
            name, .advice("name the balancer's addresses in KIDOBAN_TRUSTED_PROXIES"),
            "everybody has the address of the balancer, and so one budget for sign-ins")
    }
}
