package import Crypto
import Text

/// The parameters of an authorization request as they came (RFC 6749 §3.1): each at most once, an empty one as if it were not there.
package struct AuthorizationParameters: Equatable, Sendable {
    /// The names that mean something here. Others are ignored (RFC 6749 §3.1).
    static let known: Set<String> = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "display", "prompt", "max_age", "ui_locales",
        "claims_locales", "id_token_hint", "login_hint", "acr_values", "claims", "request", "request_uri", "response_mode",
        "code_challenge", "code_challenge_method", "resource", "dpop_jkt", "registration",
    ]

    /// Of all names and values together, in bytes: as much as a request without a body can carry. A stranger's request is kept for as long as
    /// the pages may take.
    package static let maximumLength = 8192

    private var values: [String: String] = [:]
    /// `resource` may come several times (RFC 8707 §2).
    package private(set) var resources: [String] = []
    /// Names that came more than once.
    package private(set) var repeated: Set<String> = []

    package init(_ fields: [(name: String, value: String)]) {
        for (name, value) in fields where Self.known.contains(name) && !value.isEmpty {
            if name == "resource" {
                resources.append(value)
            } else if values.updateValue(value, forKey: name) != nil {
                repeated.insert(name)
            }
        }
    }

    /// The same name for the same request: whatever is bound to a request is bound to this.
    package var digest: Digest {
        SHA256.hash(JSONValue.array(fields.map { .array([.string($0.name), .string($0.value)]) }).serialized)
    }

    package subscript(name: String) -> String? {
        values[name]
    }

    /// Whether it is longer than anybody needs.
    var isTooLong: Bool {
        let length = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return length > Self.maximumLength || resources.count > 8 || resources.contains { $0.utf8.count > 2048 }
    }

    /// As alternating fields, in a fixed order, for a stored request and for a continuation.
    package var fields: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
            + resources.map { (name: "resource", value: $0) }
    }

    /// The same without some, and with others in their place.
    package func replacing(_ changes: [String: String?]) -> AuthorizationParameters {
        var changed = self
        for (name, value) in changes { changed.values[name] = value }
        return changed
    }
}
