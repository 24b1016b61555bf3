package import Crypto
import Networking
import Text

/// Names what is counted without saying whose it is: addresses, accounts and devices are in Redis only as HMACs under a key of the
/// installation's. Under another master key counts begin anew.
package struct LimitKey: Sendable {
    private let key: SymmetricKey

    package init(_ masterKey: MasterKey) throws(CryptoError) {
        key = try masterKey.derive(.limits)
    }

    func bucket(_ charge: LimitAttempt.Charge) -> String {
        "limit:\(charge.bucket.name):\(digest(charge.bucket.name, charge.subject))"
    }

    /// The set of those who are known at an account.
    func known(_ account: String) -> String {
        "limit:known:\(digest("known", [account]))"
    }

    /// Who may be in that set.
    func members(_ acquaintance: LimitAttempt.Acquaintance) -> LimitScript.Members {
        LimitScript.Members(
            address: digest("known-address", [acquaintance.account, acquaintance.address]),
            device: acquaintance.device.map { digest("known-device", [acquaintance.account, $0]) } ?? "")
    }

    /// 128 bits in base64url.
    private func digest(_ name: String, _ parts: [String]) -> String {
        let message = parts.reduce(into: name) { $0 += "\0" + $1 }
        return Base64URL.encode(Array(HMACSHA256.authenticate(message, key: key).bytes.prefix(16)))
    }
}

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
