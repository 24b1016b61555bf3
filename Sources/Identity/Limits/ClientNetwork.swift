import Networking

/// The part of an address that one subscriber has: all of IPv4, also where it is mapped into IPv6, and the first 64 bits of IPv6
/// (RFC 6177 §2), for a subscriber can have any of the rest.
struct ClientNetwork: Equatable {
    let text: String
    /// All that one site may have: of IPv6 the first 48 bits (RFC 6177 §2), else the same.
    let site: String

    /// Whatever is no address counts as one of its own: nobody gets out of the count by being unreadable.
    init(_ address: String?) {
        switch address.flatMap({ IPAddress($0) }) {
        case .v4(let bits)?:
            text = IPAddress.v4(bits).description
            site = text
        case .v6(let upper, _)?:
            text = IPAddress.v6(upper, 0).description + "/64"
            site = IPAddress.v6(upper & 0xFFFF_FFFF_FFFF_0000, 0).description + "/48"
        case nil:
            text = address ?? ""
            site = text
        }
    }
}
