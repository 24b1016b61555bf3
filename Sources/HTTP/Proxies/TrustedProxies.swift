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
