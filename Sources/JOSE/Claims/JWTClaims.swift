package import Text

/// The claims of a JWT (RFC 7519 §4): the registered ones typed and sane, the others as they came.
///
/// Reading refuses what is of a wrong type, but decides nothing: which claims must be there and what they must say is for the rule
/// that accepts the token.
package struct JWTClaims: Equatable, Sendable {
    /// OpenID Connect Core §2 allows a subject no more.
    package static let maximumSubjectByteCount = 255
    private static let maximumStringByteCount = 2048
    /// The last second of the year 9999; also the end of ISO 8601.
    private static let latestDate: Int64 = 253_402_300_799

    package let issuer: String?
    /// Printable ASCII.
    package let subject: String?
    /// One or more, none of them empty, when the claim is there; empty when it is not.
    package let audience: [String]
    package let expiresAt: Timestamp?
    package let notBefore: Timestamp?
    package let issuedAt: Timestamp?
    package let jwtID: String?
    private let object: JSONObject

    /// Throws `payloadNotJSON`, `payloadNotObject` or `invalidClaim` with the name of the first bad registered claim.
    package init(payload: [UInt8]) throws(JOSEError) {
        let document: JSONValue
        do throws(JSONParseError) {
            document = try JSON.parse(payload)
        } catch {
            throw .payloadNotJSON(error.kind)
        }
        guard let object = document.objectValue else { throw .payloadNotObject }
        self.object = object
        issuer = try Self.string("iss", of: object)
        subject = try Self.subject(of: object)
        audience = try Self.audience(of: object)
        expiresAt = try Self.date("exp", of: object)
        notBefore = try Self.date("nbf", of: object)
        issuedAt = try Self.date("iat", of: object)
        jwtID = try Self.string("jti", of: object)
    }

    /// Any claim as it came.
    package subscript(name: String) -> JSONValue? {
        object[name]
    }

    /// A claim that is a string of 1 to 2048 bytes; `nil` when it is absent, `invalidClaim` when it is anything else.
    package func string(_ name: String) throws(JOSEError) -> String? {
        try Self.string(name, of: object)
    }

    /// Unwraps a claim that has to be there.
    package func require<Value>(_ claim: KeyPath<JWTClaims, Value?>, _ name: String) throws(JOSEError) -> Value {
        guard let value = self[keyPath: claim] else { throw .missingClaim(name) }
        return value
    }

    private static func string(_ name: String, of object: JSONObject) throws(JOSEError) -> String? {
        guard let value = object[name] else { return nil }
        guard let string = value.stringValue, (1...maximumStringByteCount).contains(string.utf8.count) else {
            throw .invalidClaim(name)
        }
        return string
    }

    private static func subject(of object: JSONObject) throws(JOSEError) -> String? {
        guard let subject = try string("sub", of: object) else { return nil }
        guard subject.utf8.count <= maximumSubjectByteCount, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalidClaim("sub")
        }
        return subject
    }

    /// One string or an array of them (RFC 7519 §4.1.3).
    private static func audience(of object: JSONObject) throws(JOSEError) -> [String] {
        let values: [JSONValue]
        switch object["aud"] {
        case nil: return []
        case .string(let single): values = [.string(single)]
        case .array(let several): values = several
        case .null, .bool, .integer, .double, .object: throw .invalidClaim("aud")
        }
        let audience = values.compactMap(\.stringValue).filter { (1...maximumStringByteCount).contains($0.utf8.count) }
        guard !audience.isEmpty, audience.count == values.count else { throw .invalidClaim("aud") }
        return audience
    }

    private static func date(_ name: String, of object: JSONObject) throws(JOSEError) -> Timestamp? {
        guard let value = object[name] else { return nil }
        guard let date = numericDate(value) else { throw .invalidClaim(name) }
        return date
    }

    /// A `NumericDate` (RFC 7519 §2): seconds since the epoch, perhaps with a fraction, not negative and not beyond the year 9999. Nil for
    /// anything else.
    package static func numericDate(_ value: JSONValue) -> Timestamp? {
        if let seconds = value.integerValue {
            return (0...latestDate).contains(seconds) ? Timestamp(seconds: seconds) : nil
        }
        guard let seconds = value.doubleValue, seconds >= 0, seconds < Double(latestDate) else { return nil }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}

extension JWTClaims {
    /// Whether the token is valid at a moment (RFC 7519 §4.1.4 to §4.1.6). `exp` has to be there.
    ///
    /// `leeway` covers clocks that differ, in both directions. With a `maximumAge` the token has to say when it was issued, and that
    /// must not be longer ago.
    package func checkTimes(
        at now: Timestamp,
        leeway: Duration,
        maximumAge: Duration? = nil
    ) throws(JOSEError) {
        let earliest = now.adding(.zero - leeway)
        let latest = now.adding(leeway)
        guard let expiresAt else { throw .missingClaim("exp") }
        guard expiresAt > earliest else { throw .expired }
        if let notBefore, notBefore > latest { throw .notYetValid }
        if let issuedAt, issuedAt > latest { throw .issuedInFuture }
        guard let maximumAge else { return }
        guard let issuedAt else { throw .missingClaim("iat") }
        guard issuedAt >= earliest.adding(.zero - maximumAge) else { throw .issuedTooLongAgo }
    }
}
