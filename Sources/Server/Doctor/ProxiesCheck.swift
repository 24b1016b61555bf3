import HTTP
import Networking
import Outbound

/// Whether the server knows its clients by their own addresses.
enum ProxiesCheck {
    static let name = "proxies"

    /// - Parameter metrics: what a server that runs here has counted; nil without one.
    static func finding(of configuration: Configuration, metrics: String? = nil) -> Finding {
        let proxies = configuration.http.proxies
        if trustsEverybody(proxies) {
            return Finding(
                name, .problem("name the addresses of the balancers alone in KIDOBAN_TRUSTED_PROXIES"),
                "everybody is a trusted proxy, and so makes up the address that limits and audit events have")
        }
        if let counts = metrics.map(Counts.init), counts.unbelieved > 0, counts.unbelieved * 2 >= counts.requests {
            return Finding(
                name,
                .problem("name the balancer's addresses, as the peer of the log lines has them, in KIDOBAN_TRUSTED_PROXIES"),
                "the server here does not believe what \(counts.unbelieved) of \(counts.requests) requests say of their clients: they have "
                    + "the address of who forwards them, and so one budget for sign-ins")
        }
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

    /// Asks the server that the operations listener of these settings belongs to, if it runs.
    static func metrics(of configuration: Configuration, with client: HTTPSClient) async -> String? {
        let url = "http://\(Health.reachable(configuration.operations.listen))/metrics"
        guard HTTPSClient.mayAsk(url), let response = try? await client.send(OutboundRequest(.get, url)), response.status == 200
        else { return nil }
        return String(decoding: response.body, as: UTF8.self)
    }

    /// Three networks that are nobody's (RFC 5737): whoever trusts all of them trusts everybody.
    private static func trustsEverybody(_ proxies: TrustedProxies) -> Bool {
        ["192.0.2.1", "198.51.100.1", "203.0.113.1"].allSatisfy { IPAddress($0).map(proxies.contains) ?? false }
    }

    /// What is to be known from metrics.
    private struct Counts {
        var requests = 0
        var unbelieved = 0

        init(_ metrics: String) {
            for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
                guard let value = line.split(separator: " ").last.flatMap({ Int($0) }) else { continue }
                if line.hasPrefix("kidoban_http_requests_total") { requests += value }
                if line.hasPrefix("kidoban_forwarded_refused_total"), !line.contains("no_proxy_header") { unbelieved += value }
            }
        }
    }
}
