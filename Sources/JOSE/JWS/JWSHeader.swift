package import Crypto
import Text

/// What a JWS header says (RFC 7515 §4) as far as this service listens to it.
///
/// Keys and addresses of keys in a header (`jwk`, `jku`, `x5c`, `x5u`, …) are never looked at: whoever wrote the token would choose
/// the key that verifies it (RFC 8725 §3.10).
package struct JWSHeader: Equatable, Sendable {
    package let algorithm: SignatureAlgorithm
    package let keyID: String?
    /// `typ` as it was written; see ``isType(_:)``.
    package let type: String?

    private static let maximumDepth = 8

    init(parsing bytes: [UInt8]) throws(JOSEError) {
        let document: JSONValue
        do throws(JSONParseError) {
            document = try JSON.parse(bytes, maximumDepth: Self.maximumDepth)
        } catch {
            throw .headerNotJSON(error.kind)
        }
        guard let object = document.objectValue else { throw .headerNotObject }
        guard object["crit"] == nil else { throw .criticalExtension }
        guard object["b64"] == nil else { throw .unencodedPayload }
        guard object["zip"] == nil else { throw .compressed }
        guard let name = try Self.string("alg", of: object, longest: 32) else { throw .invalidHeaderParameter("alg") }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        keyID = try Self.string("kid", of: object, longest: JWK.maximumKeyIDByteCount)
        type = try Self.string("typ", of: object, longest: 128)
    }

    /// Whether `typ` is this media type: without regard to case and to a leading `application/` (RFC 7515 §4.1.9).
    package func isType(_ expected: String) -> Bool {
        guard let type else { return false }
        let name = Self.lowered(type)
        let prefix = Self.lowered("application/")
        return (name.starts(with: prefix) ? name.dropFirst(prefix.count) : name[...]) == Self.lowered(expected)[...]
    }

    /// ASCII letters only: Unicode has letters outside ASCII whose lower case is inside.
    private static func lowered(_ text: String) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// `nil` for an absent parameter; anything but a string of bearable length is refused, the empty one too.
    private static func string(_ name: String, of object: JSONObject, longest: Int) throws(JOSEError) -> String? {
        guard let value = object[name] else { return nil }
        guard let string = value.stringValue, (1...longest).contains(string.utf8.count) else {
            throw .invalidHeaderParameter(name)
        }
        return string
    }
}
