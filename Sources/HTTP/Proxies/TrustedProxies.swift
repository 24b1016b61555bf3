package import Networking

/// The field in which the proxies in front of the server tell for whom they ask. One only: a proxy overwrites or appends to the one
/// that it writes, and passes the other on as the client has sent it.
package enum ForwardedField: String, CaseIterable, Sendable {
    /// The list of addresses that became a custom before there was a standard.
    case xForwardedFor = "x-forwarded-for"
    /// RFC 7239.
    case forwarded

    var known: KnownField {
        switch self {
        case .xForwardedFor: .forwardedFor
        case .forwarded: .forwarded
        }
    }
}

/// Whether connections of trusted proxies begin with a PROXY header (`ProxyHeader`).
package enum ProxyProtocol: String, CaseIterable, Sendable {
    case off, on
}

/// Whose word about the address of a client is taken, and in which form.
package struct TrustedProxies: Equatable, Sendable {
    package var blocks: [AddressBlock]
    package var field: ForwardedField
    package var proxyProtocol: ProxyProtocol

    package init(
        _ blocks: [AddressBlock] = [], field: ForwardedField = .xForwardedFor, proxyProtocol: ProxyProtocol = .off
    ) {
        self.blocks = blocks
        self.field = field
        self.proxyProtocol = proxyProtocol
    }

    package func contains(_ address: IPAddress) -> Bool {
        for block in blocks where block.contains(address) { return true }
        return false
    }
}

/// What the fields of a request that came from a trusted proxy say of its client.
enum ForwardedClient: Equatable, Sendable {
    /// The field did not come.
    case notTold
    case address(IPAddress)
    /// It does not say an address where one is needed.
    case malformed
}

extension TrustedProxies {
    /// Proxies that a request may have come through, far more than anybody has.
    private static let maximumHops = 32

    /// Who asks, by the field that is believed: from its right end, the first address that is no trusted proxy's, because that is
    /// whom a trusted proxy has seen. What stands on the left of it is anybody's word and not looked at. The leftmost address if all are
    /// trusted. Several lines of the field are one list (RFC 9110 §5.2).
    func client(toldBy head: RequestHead) -> ForwardedClient {
        guard let line = head.fields.value(of: field.known) else { return .notTold }
        let bytes = head.bytes.span
        var hops = Hops(proxies: self)
        guard head.fields.isRepeated(field.known) else {
            return hops.walk(bytes, in: line) ?? hops.outcome
        }
        for line in head.fields.lines.reversed() where bytes.equalsIgnoringCase(field.known.name, in: line.name.range) {
            if let found = hops.walk(bytes, in: line.value.range) { return found }
        }
        return hops.outcome
    }

    /// The way back from proxy to proxy.
    private struct Hops {
        let proxies: TrustedProxies
        private var last: IPAddress?
        private var count = 0

        init(proxies: TrustedProxies) {
            self.proxies = proxies
        }

        /// All of them were trusted.
        var outcome: ForwardedClient { last.map(ForwardedClient.address) ?? .malformed }

        /// Goes on over a line; nil when it has only trusted proxies.
        mutating func walk(_ bytes: Span<UInt8>, in line: Range<Int>) -> ForwardedClient? {
            var rest = line
            while true {
                let element = ForwardedElement.last(of: proxies.field, bytes, in: rest)
                count += 1
                guard count <= TrustedProxies.maximumHops,
                    let address = ForwardedElement.address(proxies.field, bytes, in: element)
                else { return .malformed }
                guard proxies.contains(address) else { return .address(address) }
                last = address
                guard element.lowerBound > rest.lowerBound else { return nil }
                rest = rest.lowerBound..<element.lowerBound - 1
            }
        }
    }
}
