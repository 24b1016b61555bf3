import Networking

/// Whence somebody came, roughly: the first 24 bits of an IPv4 address or the first 48 of an IPv6 address. Enough to tell home from abroad
/// in a list of sessions, and nobody's own address.
package struct NetworkPrefix: Hashable, Sendable {
    /// In CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), such as `203.0.113.0/24`.
    package let text: String

    /// `nil` for what is no address.
    package init?(of address: String?) {
        switch address.flatMap({ IPAddress($0) }) {
        case .v4(let bits)?: text = IPAddress.v4(bits & 0xFFFF_FF00).description + "/24"
        case .v6(let upper, _)?: text = IPAddress.v6(upper & 0xFFFF_FFFF_FFFF_0000, 0).description + "/48"
        case nil: return nil
        }
    }

    /// As it was stored.
    init(stored text: String) {
        self.text = text
    }
}
