package import Crypto
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
