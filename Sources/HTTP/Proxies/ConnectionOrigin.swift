import Networking

/// Where the requests of a connection come from: what can be decided once for all of them.
struct ConnectionOrigin: Sendable {
    /// Whether what a request says of its client is believed.
    enum Trust: Sendable {
        case trusted, untrusted
    }

    /// The other end of the connection; empty if it has no IP address.
    let peer: String
    /// The other end or, where a proxy has said so in a PROXY header, who is connected to that proxy.
    private(set) var source: String
    private(set) var trust = Trust.untrusted

    let peerAddress: IPAddress?
    /// What the PROXY header said, once it has come.
    private var header: ProxyHeader?

    init(_ address: SocketAddress) {
        if case .ip(let address, _) = address {
            peerAddress = address
            peer = address.description
        } else {
            peerAddress = nil
            peer = ""
        }
        source = peer
    }

    /// Whether the connection must begin with a PROXY header.
    func expectsProxyHeader(_ proxies: TrustedProxies) -> Bool {
        guard case .on = proxies.proxyProtocol, header == nil else { return false }
        return isProxy(proxies)
    }

    mutating func take(_ header: ProxyHeader) {
        self.header = header
    }

    /// Decides, at first and whenever another list of proxies holds.
    ///
    /// A proxy that uses the PROXY protocol passes on the fields of requests as they come: they are believed if it names another
    /// trusted proxy as their source.
    mutating func decide(_ proxies: TrustedProxies) {
        (source, trust) = (peer, .untrusted)
        guard isProxy(proxies) else { return }
        switch header {
        case nil:
            trust = .trusted
        case .ownConnection:
            break
        case .source(let address):
            source = address.description
            if proxies.contains(address) { trust = .trusted }
        }
    }

    /// Whom a PROXY header has named, unless that is another proxy.
    var untrustedSource: IPAddress? {
        guard case .source(let address) = header, case .untrusted = trust else { return nil }
        return address
    }

    func isProxy(_ proxies: TrustedProxies) -> Bool {
        peerAddress.map(proxies.contains) ?? false
    }
}
