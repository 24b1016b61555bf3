import Crypto
import Text

/// What opened an account at some time: the address, which password, and which identities. Enough to bring it back, and no secret of the
/// user's.
struct WaysIn: Equatable, Sendable {
    let email: EmailAddress?
    /// SHA-256 of the stored hash, to tell whether it is still the same password; nil for none.
    let passwordDigest: [UInt8]?
    /// Rows as `AccountChangeQueries.identities` writes and `restoreIdentities` reads them.
    let identities: JSONValue

    init(email: EmailAddress?, passwordHash: String?, identities: JSONValue) {
        self.email = email
        self.passwordDigest = passwordHash.map { SHA256.hash($0).bytes }
        self.identities = identities
    }

    /// Whether a password that is in force now was there then.
    func hasPassword(_ hash: String?) -> Bool {
        guard let hash, let passwordDigest else { return false }
        return ConstantTime.equal(SHA256.hash(hash).bytes, passwordDigest)
    }

    /// The providers of the identities, by name, each once.
    var providers: [String] {
        Set((identities.arrayValue ?? []).compactMap { $0["provider"]?.stringValue }).sorted()
    }

    var stored: [UInt8] {
        var object = JSONObject()
        object["email"] = email.map { .string($0.typed) }
        object["normalized"] = email.map { .string($0.normalized) }
        object["password"] = passwordDigest.map { .string(Base64URL.encode($0)) }
        object["identities"] = identities
        return JSONValue.object(object).serialized
    }

    /// As it was stored; nil for what was not.
    init?(stored bytes: [UInt8]) {
        guard let value = try? JSON.parse(bytes, maximumValues: 1_000_000),
            let identities = value["identities"]
        else { return nil }
        if let typed = value["email"]?.stringValue, let normalized = value["normalized"]?.stringValue {
            email = EmailAddress(storedTyped: typed, normalized: normalized)
        } else {
            email = nil
        }
        passwordDigest = value["password"]?.stringValue.flatMap { Base64URL.decode($0) }
        self.identities = identities
    }
}
