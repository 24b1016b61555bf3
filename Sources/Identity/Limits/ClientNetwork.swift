import Networking

/// The part of an address that one subscriber has: all of IPv4, also where it is mapped into IPv6, and the first 64 bits of IPv6
/// (RFC 6177 §2), for a subscriber can have any of the rest.
struct ClientNetwork: Equatable {
    let text: String

    /// Whatever is no address counts as one of its own: nobody gets out of the count by being unreadable.
    init(_ address: String?) {
        text =
            switch address.flatMap({ IPAddress($0) }) {
            case .v4(let bits)?: IPAddress.v4(bits).description
            case .v6(let upper, _)?: IPAddress.v6(upper, 0).description + "/64"
            case nil: address ?? ""
            }
    }
}
